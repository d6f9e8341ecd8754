/* The library's words over the host's functions: text to values, what is unavailable to failures. */
#include "espejote.h"

#include <stdarg.h>
#include <string.h>

#include "host.h"
#include "memory.h"

#define FORMATTED(name)                          \
  va_list arguments;                             \
  va_start(arguments, format);                   \
  char *name = esp_format_list(format, arguments); \
  va_end(arguments)

static esp_result failure(esp_kind kind, const char *message) {
  esp_failure *made = esp_alloc(sizeof *made);
  *made = (esp_failure){kind, message};
  return made;
}

esp_result esp_fail(esp_kind kind, const char *format, ...) {
  FORMATTED(message);
  return failure(kind, message);
}

/* A context that is not filled yet is waited for; any other reason is something that people have to mend. */
static esp_result unavailable(host_unavailable why) {
  return failure(why.reason == NOT_SYNCED ? ESP_NOT_READY : ESP_INVALID_INPUT, why.message);
}

static esp_result file_failure(host_file_error why) {
  return failure(why.reason == LIBRARY_UNAVAILABLE ? ESP_NOT_READY : ESP_INVALID_INPUT, why.message);
}

esp_owner esp_get_owner(void) { return host_owner(); }

esp_json *esp_owner_reference(void) {
  esp_owner owner = host_owner();
  return esp_build("{'apiVersion': %s, 'kind': %s, 'name': %s, 'uid': %s}", owner.id.api_version, owner.id.kind,
                   owner.id.name, owner.uid);
}

/* The host's documents are JSON, and not deeper than it allows; what is deeper than this library allows has no value here. */
static esp_json *document(const char *what, esp_text text) {
  const char *error;
  esp_json *value = esp_parse(text, &error);
  if (!value) esp_abort(esp_format("%s: %s", what, error));
  return value;
}

const esp_json *esp_config(void) { return document("config", host_config()); }
void esp_keep_instance(void) { host_keep_instance(); }

esp_strings esp_contexts(void) { return host_context_names(); }

esp_result esp_open(const char *name, esp_collection **collection) {
  host_unavailable why = {0};
  *collection = host_open(name, &why);
  return *collection ? ESP_OK : unavailable(why);
}

uint32_t esp_len(const esp_collection *collection) { return host_len(collection); }
esp_revision esp_collection_revision(const esp_collection *collection) { return host_revision(collection); }
esp_revisions esp_collection_revisions(const esp_collection *collection) { return host_revisions(collection); }

bool esp_find(const esp_collection *collection, const char *namespace, const char *name, uint32_t *index) {
  return host_find(collection, namespace, name, index);
}

esp_indices esp_all(const esp_collection *collection) {
  uint32_t len = host_len(collection);
  uint32_t *at = esp_alloc(len * sizeof *at);
  for (uint32_t i = 0; i < len; i++) at[i] = i;
  return (esp_indices){at, len};
}

esp_result esp_select(const esp_collection *collection, const char *namespace, const char *selector, esp_indices *indices) {
  const char *wrong = NULL;
  if (host_select(collection, namespace, selector, indices, &wrong)) return ESP_OK;
  return esp_fail(ESP_INVALID_INPUT, "label selector \"%s\": %s", selector, wrong);
}

esp_ids esp_ids_at(const esp_collection *collection, esp_indices indices) { return host_ids(collection, indices); }

esp_texts esp_read_texts(const esp_collection *collection, esp_indices indices) { return host_read(collection, indices); }

esp_texts esp_scan_texts(const esp_collection *collection, uint32_t start, uint32_t max_bytes) {
  return host_scan(collection, start, max_bytes);
}

/* Texts to values; the failure names the object. */
static esp_result parsed(const esp_collection *collection, esp_indices indices, esp_texts texts, const char *pointer,
                         esp_values *values) {
  const esp_json **at = esp_alloc(texts.len * sizeof *at);
  for (size_t i = 0; i < texts.len; i++) {
    const char *error;
    if (!texts.at[i].ptr) continue;
    at[i] = esp_parse(texts.at[i], &error);
    if (at[i]) continue;
    esp_id id = host_ids(collection, (esp_indices){indices.at + i, 1}).at[0];
    return esp_fail(ESP_INVALID_INPUT, "%s %s%s%s%s%s: %s", id.kind, id.namespace, *id.namespace ? "/" : "", id.name,
                    *pointer ? " at " : "", pointer, error);
  }
  *values = (esp_values){at, texts.len};
  return ESP_OK;
}

esp_result esp_read(const esp_collection *collection, esp_indices indices, esp_values *objects) {
  return parsed(collection, indices, host_read(collection, indices), "", objects);
}

esp_result esp_values_at(const esp_collection *collection, esp_indices indices, const char *pointer, esp_values *values) {
  const char *wrong = NULL;
  esp_texts texts;
  if (!host_values(collection, indices, pointer, &texts, &wrong)) {
    return esp_fail(ESP_INVALID_INPUT, "JSON pointer \"%s\": %s", pointer, wrong);
  }
  return parsed(collection, indices, texts, pointer, values);
}

esp_strings esp_provided_names(void) { return host_provided_names(); }

esp_result esp_provided(const char *name, const esp_json **value) {
  host_unavailable why = {0};
  esp_text text;
  const char *error;
  if (!host_provided(name, &text, &why)) return unavailable(why);
  *value = esp_parse(text, &error);
  return *value ? ESP_OK : esp_fail(ESP_INVALID_INPUT, "provided context \"%s\": %s", name, error);
}

esp_result esp_read_file(const char *path, esp_text *content) {
  host_file_error why = {0};
  return host_read_file(path, content, &why) ? ESP_OK : file_failure(why);
}

esp_result esp_file_revision(const char *path, esp_revision *revision) {
  host_file_error why = {0};
  return host_file_revision(path, revision, &why) ? ESP_OK : file_failure(why);
}

const char *esp_trigger(void) { return host_trigger_name(); }
bool esp_event(esp_id *id) { return host_trigger_event(id); }

const esp_json *esp_event_object(void) {
  esp_text text = host_trigger_object();
  return text.ptr ? document("object of the trigger", text) : NULL;
}

/* What lies in itself or too deep has no text: the host is given what it refuses, and says where that was. */
static esp_text written(const esp_json *value) {
  esp_text text = esp_write(value);
  return text.ptr ? text : esp_text_of("value deeper than 128");
}

void esp_apply(const esp_json *object, const esp_apply_options *options) { host_apply(written(object), options); }
void esp_apply_text(esp_text object, const esp_apply_options *options) { host_apply(object, options); }
void esp_delete(esp_id id, const esp_delete_options *options) { host_delete(id, options); }
void esp_open_group(esp_policy policy) { host_open_group(policy); }
void esp_close_group(void) { host_close_group(); }

void esp_requeue_after(uint32_t milliseconds) { host_requeue_after(milliseconds); }

void esp_message(const char *format, ...) {
  FORMATTED(message);
  host_set_message(message);
}

void esp_condition(const char *type, esp_status status, const char *reason, const char *format, ...) {
  FORMATTED(message);
  host_set_condition(type, status, reason, message);
}

void esp_waiting(const char *reason, const char *format, ...) {
  FORMATTED(message);
  host_set_waiting(reason, message);
}

void esp_document(const esp_json *document) { host_set_document(written(document)); }

void esp_warn(const char *format, ...) {
  FORMATTED(message);
  host_warn(message);
}

void esp_annotate(const char *key, const char *value) { host_annotate(key, value); }

bool esp_log_enabled(esp_level level) { return host_log_enabled(level); }

void esp_log_fields(esp_level level, const char *message, const esp_field *fields) {
  size_t count = 0;
  if (!host_log_enabled(level)) return;
  while (fields[count].key) count++;
  host_log(level, message, fields, count);
}
