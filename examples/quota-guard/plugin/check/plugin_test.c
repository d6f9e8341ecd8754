/* The whole plugin, on the machine at hand, with a cluster in memory. */
#include <espejote_test.h>
#include <string.h>

static const char sizes[] =
    "[{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'sizes', 'namespace': 'default'}, 'data': {"
    "  'small': '{\\\"quota\\\": {\\\"pods\\\": \\\"20\\\"}, \\\"default\\\": {\\\"cpu\\\": \\\"500m\\\"}}',"
    "  'bad': 'pods: 20'}}]";

static const char namespaces[] =
    "[{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'shop', 'labels': {'example.com/size': 'small'}}},"
    " {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'lab', 'labels': {'example.com/size': 'huge'}}},"
    " {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'left'}}]";

static const char quotas[] =
    "[{'apiVersion': 'v1', 'kind': 'ResourceQuota', 'metadata': {'name': 'size', 'namespace': 'left',"
    "  'labels': {'example.com/managed-by': 'quota-guard'}}},"
    " {'apiVersion': 'v1', 'kind': 'ResourceQuota', 'metadata': {'name': 'own', 'namespace': 'left'}}]";

static void set_up(void) {
  fake_config("{'sizes': 'sizes'}");
  fake_context("sizes", sizes);
  fake_context("namespaces", namespaces);
  fake_context("quotas", quotas);
  fake_context("limits", "[]");
}

static void a_namespace_gets_the_quota_of_its_size_after_its_defaults(void) {
  set_up();
  CHECK(!fake_reconcile());
  CHECK_STRING(esp_string(fake_at("/items/0/group/policy")), "Abort");
  CHECK_STRING(esp_string(fake_at("/items/0/group/items/0/apply/kind")), "LimitRange");
  CHECK_STRING(esp_string(fake_at("/items/0/group/items/0/apply/spec/limits/0/default/cpu")), "500m");
  CHECK_STRING(esp_string(fake_at("/items/0/group/items/1/apply/kind")), "ResourceQuota");
  CHECK_STRING(esp_string(fake_at("/items/0/group/items/1/apply/metadata/namespace")), "shop");
  CHECK_STRING(esp_string(fake_at("/items/0/group/items/1/apply/spec/hard/pods")), "20");
  CHECK(esp_type_of(fake_at("/items/0/group/items/1/options/force")) == ESP_TRUE);
}

static void an_unknown_size_is_told_and_changes_nothing(void) {
  set_up();
  CHECK(!fake_reconcile());
  CHECK_STRING(esp_string(fake_at("/conditions/SizesKnown/status")), "False");
  CHECK_STRING(esp_string(fake_at("/conditions/SizesKnown/message")), "not in the ConfigMap of sizes: huge (lab)");
  CHECK_STRING(esp_string(fake_at("/message")), "1 namespaces with a size");
}

static void what_is_ours_goes_with_the_label_and_nothing_else(void) {
  set_up();
  CHECK(!fake_reconcile());
  CHECK_STRING(esp_string(fake_at("/items/1/delete/name")), "size");
  CHECK_STRING(esp_string(fake_at("/items/1/delete/namespace")), "left");
  CHECK(esp_count(fake_at("/items")) == 2);
}

static void a_reconcile_for_one_namespace_leaves_the_others_alone(void) {
  set_up();
  fake_trigger("namespace");
  fake_event("{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'shop'}}");
  CHECK(!fake_reconcile());
  CHECK(esp_count(fake_at("/items")) == 1);
  fake_event_gone((esp_id){"v1", "Namespace", "", "gone"});
  CHECK(!fake_reconcile());
  CHECK(esp_count(fake_at("/items")) == 0);
}

static void without_the_sizes_it_is_not_ready_and_looks_again(void) {
  set_up();
  fake_context("sizes", "[]");
  esp_result result = fake_reconcile();
  CHECK(result && result->kind == ESP_NOT_READY && strstr(result->message, "default/sizes"));
  CHECK_STRING(esp_write(fake_at("/requeueAfter")).ptr, "60000");
}

static void a_size_that_is_no_json_is_an_invalid_input(void) {
  set_up();
  fake_context("namespaces",
               "[{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'x', 'labels': {'example.com/size': 'bad'}}}]");
  esp_result result = fake_reconcile();
  CHECK(result && result->kind == ESP_INVALID_INPUT && strstr(result->message, "size bad: byte 0"));
}

static void the_schema_is_json_and_names_are_checked(void) {
  CHECK(esp_parse(esp_text_of(esp_schema("reconcile")), NULL));
  CHECK_STRING(esp_string(esp_at(fake_validate("reconcile", "{'sizes': 'a/b'}"), "/0/path")), "/sizes");
}

int main(void) {
  RUN(a_namespace_gets_the_quota_of_its_size_after_its_defaults);
  RUN(an_unknown_size_is_told_and_changes_nothing);
  RUN(what_is_ours_goes_with_the_label_and_nothing_else);
  RUN(a_reconcile_for_one_namespace_leaves_the_others_alone);
  RUN(without_the_sizes_it_is_not_ready_and_looks_again);
  RUN(a_size_that_is_no_json_is_an_invalid_input);
  RUN(the_schema_is_json_and_names_are_checked);
  return fake_failed();
}
