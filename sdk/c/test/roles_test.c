/* The library over a host in memory: what a plugin reads, emits and reports, and how its calls end. */
#include <stdlib.h>
#include <string.h>

#include "espejote_test.h"

/* What the role under test does in this test. */
static esp_result (*reconcile)(void);
static esp_result (*provide)(const esp_json **value);
static esp_result (*admit)(const esp_json *request, esp_decision *decision);

esp_result esp_reconcile(void) { return reconcile(); }
esp_result esp_provide(const esp_json **value) { return provide(value); }
esp_result esp_admit(const esp_json *request, esp_decision *decision) { return admit(request, decision); }

static esp_result run(esp_result (*role)(void)) {
  reconcile = role;
  return fake_reconcile();
}

static const char pods[] =
    "[{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'namespace': 'shop', 'name': 'web', 'labels': {'app': 'web', 'tier': 'front'}},"
    "  'spec': {'big': 9007199254740993}},"
    " {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'namespace': 'lab', 'name': 'db', 'labels': {'app': 'db'}}},"
    " {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'namespace': 'shop', 'name': 'api', 'labels': {'app': 'api'}}}]";

static esp_result emit_names(void) {
  esp_collection *collection;
  ESP_TRY(esp_open("pods", &collection));
  esp_ids ids = esp_ids_at(collection, esp_all(collection));
  esp_json *names = esp_array();
  for (size_t i = 0; i < ids.len; i++) esp_push(names, esp_new_string(esp_format("%s/%s", ids.at[i].namespace, ids.at[i].name)));
  esp_document(names);
  return ESP_OK;
}

static void objects_come_by_namespace_and_name(void) {
  fake_context("pods", pods);
  CHECK(!run(emit_names));
  CHECK_STRING(esp_write(fake_at("/document")).ptr, "[\"lab/db\",\"shop/api\",\"shop/web\"]");
}

static const char *selector, *namespace;

static esp_result emit_selected(void) {
  esp_collection *collection;
  esp_indices indices;
  ESP_TRY(esp_open("pods", &collection));
  ESP_TRY(esp_select(collection, namespace, selector, &indices));
  esp_json *names = esp_array();
  for (size_t i = 0; i < indices.len; i++) esp_push(names, esp_new_string(esp_ids_at(collection, indices).at[i].name));
  esp_document(names);
  return ESP_OK;
}

static const char *selected(const char *in, const char *by) {
  namespace = in;
  selector = by;
  esp_result result = run(emit_selected);
  return result ? result->message : esp_write(fake_at("/document")).ptr;
}

static void selectors_are_those_of_kubectl(void) {
  fake_context("pods", pods);
  CHECK_STRING(selected(NULL, ""), "[\"db\",\"api\",\"web\"]");
  CHECK_STRING(selected("shop", ""), "[\"api\",\"web\"]");
  CHECK_STRING(selected(NULL, "app=web"), "[\"web\"]");
  CHECK_STRING(selected(NULL, "app!=web, app"), "[\"db\",\"api\"]");
  CHECK_STRING(selected(NULL, "app in (web, db)"), "[\"db\",\"web\"]");
  CHECK_STRING(selected(NULL, "app notin (web,db),!tier"), "[\"api\"]");
  CHECK_STRING(selected(NULL, "tier==front"), "[\"web\"]");
  CHECK(strstr(selected(NULL, "app in web"), "label selector \"app in web\": expected"));
}

static esp_result emit_values(void) {
  esp_collection *collection;
  esp_values values, objects;
  uint32_t index;
  ESP_TRY(esp_open("pods", &collection));
  ESP_TRY(esp_values_at(collection, esp_all(collection), "/spec/big", &values));
  if (values.at[0] || values.at[1]) return esp_fail(ESP_INTERNAL, "a value where there is none");
  if (!esp_find(collection, "shop", "web", &index) || esp_find(collection, "", "web", &index)) return esp_fail(ESP_INTERNAL, "find");
  ESP_TRY(esp_read(collection, (esp_indices){&index, 1}, &objects));
  esp_document(esp_build("[%j, %j]", values.at[2], esp_at(objects.at[0], "/spec/big")));
  return ESP_OK;
}

static void values_are_found_and_exact(void) {
  fake_context("pods", pods);
  CHECK(!run(emit_values));
  CHECK_STRING(esp_write(fake_at("/document")).ptr, "[9007199254740993,9007199254740993]");
}

static void what_cannot_be_had_is_never_empty(void) {
  esp_result result = run(emit_names);
  CHECK(result && result->kind == ESP_INVALID_INPUT);
  fake_unavailable("pods", "not-synced", "pods: still being listed");
  result = run(emit_names);
  CHECK(result && result->kind == ESP_NOT_READY);
  CHECK_STRING(result ? result->message : NULL, "pods: still being listed");
  fake_unavailable("pods", "forbidden", "pods is forbidden");
  result = run(emit_names);
  CHECK(result && result->kind == ESP_INVALID_INPUT);
}

static esp_result emit_everything(void) {
  esp_open_group(ESP_ABORT);
  esp_apply(esp_build("{'kind': 'A'}"), &(esp_apply_options){.force = ESP_NO, .field_manager_suffix = ":a", .subresource = "status"});
  esp_open_group(ESP_AS_OUTSIDE);
  esp_delete((esp_id){"v1", "B", "n", "b"},
             &(esp_delete_options){.grace_period_seconds = &(uint32_t){0}, .propagation = ESP_ORPHAN, .uid = "u"});
  esp_close_group();
  esp_close_group();
  esp_apply(esp_build("{'kind': 'C'}"), NULL);
  esp_requeue_after(1500);
  esp_message("%d of %d", 1, 2);
  esp_condition("Synced", ESP_STATUS_UNKNOWN, "Why", "because of %s", "it");
  esp_waiting("Slow", "not there");
  esp_log(ESP_INFO, "plain");
  esp_log(ESP_WARN, "with fields", {"a", "1"}, {"b", esp_format("%d", 2)});
  esp_log(ESP_DEBUG, "not kept");
  esp_keep_instance();
  return ESP_OK;
}

static void what_is_emitted_and_reported_arrives_in_order(void) {
  CHECK(!run(emit_everything));
  CHECK_STRING(esp_write(fake_at("/items")).ptr,
               "[{\"group\":{\"policy\":\"Abort\",\"items\":["
               "{\"apply\":{\"kind\":\"A\"},\"options\":{\"fieldManagerSuffix\":\":a\",\"force\":false,\"subresource\":\"status\"}},"
               "{\"group\":{\"policy\":null,\"items\":[{\"delete\":{\"apiVersion\":\"v1\",\"kind\":\"B\",\"namespace\":\"n\",\"name\":\"b\"},"
               "\"options\":{\"gracePeriodSeconds\":0,\"propagationPolicy\":\"Orphan\",\"uid\":\"u\"}}]}}]}},"
               "{\"apply\":{\"kind\":\"C\"},\"options\":{}}]");
  CHECK_STRING(esp_write(fake_at("/requeueAfter")).ptr, "1500");
  CHECK_STRING(esp_string(fake_at("/message")), "1 of 2");
  CHECK_STRING(esp_string(fake_at("/conditions/Synced/status")), "Unknown");
  CHECK_STRING(esp_string(fake_at("/conditions/Synced/message")), "because of it");
  CHECK_STRING(esp_string(fake_at("/waiting/reason")), "Slow");
  CHECK(esp_count(fake_at("/log")) == 2);
  CHECK_STRING(esp_string(fake_at("/log/1/fields/b")), "2");
  CHECK(esp_type_of(fake_at("/keepInstance")) == ESP_TRUE);
}

static esp_result emit_call(void) {
  esp_id event;
  esp_text file;
  esp_revision one, other;
  const esp_json *provided;
  ESP_TRY(esp_read_file("organisation/teams.json", &file));
  ESP_TRY(esp_file_revision("organisation/teams.json", &one));
  ESP_TRY(esp_file_revision("organisation/teams.json", &other));
  ESP_TRY(esp_provided("sum", &provided));
  esp_document(esp_build("{'trigger': %s, 'event': %b, 'object': %j, 'config': %j, 'file': %s, 'provided': %j, 'owner': %j, 'same': %b}",
                         esp_trigger(), esp_event(&event), esp_event_object(), esp_config(), file.ptr, provided,
                         esp_owner_reference(), one == other));
  return ESP_OK;
}

static void a_call_knows_why_it_was_made(void) {
  fake_config("{'size': 3.0}");
  fake_file("organisation/teams.json", "{}");
  fake_provided("sum", "12345678901234567890");
  fake_trigger("pod");
  fake_event("{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'web', 'namespace': 'shop'}}");
  CHECK(!run(emit_call));
  CHECK_STRING(esp_write(fake_at("/document")).ptr,
               "{\"trigger\":\"pod\",\"event\":true,\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\","
               "\"namespace\":\"shop\"}},\"config\":{\"size\":3.0},\"file\":\"{}\",\"provided\":12345678901234567890,"
               "\"owner\":{\"apiVersion\":\"espejote.io/v1alpha1\",\"kind\":\"ManagedResource\",\"name\":\"plugin\",\"uid\":\"uid\"},"
               "\"same\":true}");
}

static esp_result provide_a_ring(const esp_json **value) {
  esp_json *ring = esp_array();
  esp_push(ring, ring);
  *value = ring;
  return ESP_OK;
}

static esp_result provide_nothing(const esp_json **value) {
  (void)value;
  return ESP_OK;
}

static void a_provided_value_must_be_a_document(void) {
  const esp_json *value;
  provide = provide_a_ring;
  esp_result result = fake_provide(&value);
  CHECK(result && result->kind == ESP_INVALID_OUTPUT);
  provide = provide_nothing;
  CHECK(!fake_provide(&value) && esp_type_of(value) == ESP_NULL && value);
}

static esp_result deny(const esp_json *request, esp_decision *decision) {
  if (!esp_get(request, "object")) return esp_fail(ESP_INVALID_INPUT, "there is no object");
  decision->allowed = false;
  decision->message = esp_format("no %s", esp_string_or(esp_get(request, "operation"), "?"));
  esp_warn("mind the %s", "gap");
  esp_annotate("a", "b");
  return ESP_OK;
}

static esp_result change_twice(const esp_json *request, esp_decision *decision) {
  decision->patch = esp_array();
  decision->object = request;
  return ESP_OK;
}

static void an_admitter_decides(void) {
  esp_decision decision;
  admit = deny;
  CHECK(!fake_admit("{'operation': 'DELETE', 'object': {}}", &decision) && !decision.allowed);
  CHECK_STRING(decision.message, "no DELETE");
  CHECK_STRING(esp_string(fake_at("/warnings/0")), "mind the gap");
  CHECK_STRING(esp_string(fake_at("/annotations/a")), "b");
  CHECK(fake_admit("{}", &decision)->kind == ESP_INVALID_INPUT);
  admit = change_twice;
  CHECK(fake_admit("{}", &decision)->kind == ESP_INVALID_OUTPUT);
}

void esp_validate(const char *role, const esp_json *config) {
  if (strcmp(role, "reconcile")) return;
  for (int i = 0; i < 20; i++) esp_problem("/a", "problem %d", i);
  if (!esp_get(config, "b")) esp_problem("", "there is no b");
}

static void every_problem_is_told(void) {
  CHECK(esp_count(fake_validate("reconcile", "{}")) == 21);
  CHECK(esp_count(fake_validate("provide", "{}")) == 0);
  CHECK_STRING(esp_string(esp_at(fake_validate("reconcile", "{}"), "/20/message")), "there is no b");
}

int main(void) {
  RUN(objects_come_by_namespace_and_name);
  RUN(selectors_are_those_of_kubectl);
  RUN(values_are_found_and_exact);
  RUN(what_cannot_be_had_is_never_empty);
  RUN(what_is_emitted_and_reported_arrives_in_order);
  RUN(a_call_knows_why_it_was_made);
  RUN(a_provided_value_must_be_a_document);
  RUN(an_admitter_decides);
  RUN(every_problem_is_told);
  return fake_failed();
}
