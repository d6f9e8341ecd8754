/* What the host exports, asked through the generated bindings. */
#include <stdlib.h>
#include <string.h>

#include "component.h"
#include "host.h"
#include "json_value.h"
#include "memory.h"

/* ---- To the host and from it -------------------------------------------------------------------------------------------- */

/* Text that the host takes: UTF-8, with U+FFFD for what is none. */
static esp_text mended(esp_text text) {
  size_t good = 0, bytes;
  while (good < text.len && (bytes = esp_utf8(text.ptr + good, text.len - good))) good += bytes;
  if (good == text.len) return text;
  char *copy = esp_alloc(3 * text.len + 1), *to = copy;
  for (size_t i = 0; i < text.len; i += bytes) {
    size_t sound = esp_utf8(text.ptr + i, text.len - i);
    bytes = sound ? sound : 1;
    memcpy(to, sound ? text.ptr + i : "\xEF\xBF\xBD", sound ? sound : 3);
    to += sound ? sound : 3;
  }
  return (esp_text){copy, (size_t)(to - copy)};
}

wit_string_t esp_text_to_host(esp_text text) {
  esp_text sound = mended(text);
  return (wit_string_t){(uint8_t *)sound.ptr, sound.len};
}

static wit_string_t to(const char *string) { return esp_text_to_host(esp_text_of(string ? string : "")); }

static wit_option_string_t option_to(const char *string) {
  wit_option_string_t option = {.is_some = string != NULL};
  if (string) option.val = to(string);
  return option;
}

esp_text esp_text_from_host(wit_string_t text) {
  return text.len ? (esp_text){(const char *)text.ptr, text.len} : (esp_text){"", 0};
}

static const char *from(wit_string_t text) { return esp_text_from_host(text).ptr; }

static esp_id id_from(espejote_plugin_types_object_id_t id) {
  return (esp_id){from(id.api_version), from(id.kind), from(id.namespace_), from(id.name)};
}

static esp_strings strings_from(wit_list_string_t list) {
  const char **at = esp_alloc(list.len * sizeof *at);
  for (size_t i = 0; i < list.len; i++) at[i] = from(list.ptr[i]);
  return (esp_strings){at, list.len};
}

static esp_texts texts_from(espejote_plugin_state_list_json_t list) {
  esp_text *at = esp_alloc(list.len * sizeof *at);
  for (size_t i = 0; i < list.len; i++) at[i] = esp_text_from_host(list.ptr[i]);
  return (esp_texts){at, list.len};
}

static host_unavailable unavailable_from(espejote_plugin_types_unavailable_t why) {
  return (host_unavailable){(host_unavailable_reason)why.reason, from(why.message)};
}

/* ---- Imports ---------------------------------------------------------------------------------------------------------------- */

esp_owner host_owner(void) {
  espejote_plugin_invocation_owner_reference_t owner;
  espejote_plugin_invocation_owner(&owner);
  return (esp_owner){id_from(owner.id), from(owner.uid)};
}

esp_text host_config(void) {
  wit_string_t config;
  espejote_plugin_invocation_config(&config);
  return esp_text_from_host(config);
}

void host_keep_instance(void) { espejote_plugin_invocation_keep_instance(); }

/* A collection is given back at the end of the call. It lies in memory from malloc, as esp_release must not reach it. */
struct esp_collection {
  espejote_plugin_state_own_collection_t handle;
  esp_collection *before;
};

static esp_collection *opened;

void esp_close_collections(void) {
  while (opened) {
    esp_collection *closed = opened;
    opened = closed->before;
    espejote_plugin_state_collection_drop_own(closed->handle);
    free(closed);
  }
}

static espejote_plugin_state_borrow_collection_t borrow(const esp_collection *collection) {
  return (espejote_plugin_state_borrow_collection_t){collection->handle.__handle};
}

static wit_list_u32_t indices_to(esp_indices indices) { return (wit_list_u32_t){(uint32_t *)indices.at, indices.len}; }

esp_strings host_context_names(void) {
  wit_list_string_t names;
  espejote_plugin_state_names(&names);
  return strings_from(names);
}

esp_collection *host_open(const char *name, host_unavailable *why) {
  espejote_plugin_state_own_collection_t handle;
  espejote_plugin_state_unavailable_t unavailable;
  wit_string_t asked = to(name);
  if (!espejote_plugin_state_open(&asked, &handle, &unavailable)) {
    *why = unavailable_from(unavailable);
    return NULL;
  }
  esp_collection *collection = malloc(sizeof *collection);
  if (!collection) abort();
  *collection = (esp_collection){handle, opened};
  return opened = collection;
}

uint32_t host_len(const esp_collection *collection) {
  return espejote_plugin_state_method_collection_len(borrow(collection));
}

esp_revision host_revision(const esp_collection *collection) {
  return espejote_plugin_state_method_collection_revision(borrow(collection));
}

esp_revisions host_revisions(const esp_collection *collection) {
  espejote_plugin_state_list_revision_t list;
  espejote_plugin_state_method_collection_revisions(borrow(collection), &list);
  return (esp_revisions){list.ptr, list.len};
}

bool host_find(const esp_collection *collection, const char *namespace, const char *name, uint32_t *index) {
  wit_string_t in = to(namespace), of = to(name);
  return espejote_plugin_state_method_collection_find(borrow(collection), &in, &of, index);
}

bool host_select(const esp_collection *collection, const char *namespace, const char *selector, esp_indices *indices,
                 const char **wrong) {
  wit_string_t in = to(namespace), by = to(selector), error;
  wit_list_u32_t list;
  bool ok = espejote_plugin_state_method_collection_select(borrow(collection), namespace ? &in : NULL, &by, &list, &error);
  if (ok) *indices = (esp_indices){list.ptr, list.len};
  else *wrong = from(error);
  return ok;
}

esp_ids host_ids(const esp_collection *collection, esp_indices indices) {
  wit_list_u32_t of = indices_to(indices);
  espejote_plugin_state_list_object_id_t list;
  espejote_plugin_state_method_collection_ids(borrow(collection), &of, &list);
  esp_id *at = esp_alloc(list.len * sizeof *at);
  for (size_t i = 0; i < list.len; i++) at[i] = id_from(list.ptr[i]);
  return (esp_ids){at, list.len};
}

esp_texts host_read(const esp_collection *collection, esp_indices indices) {
  wit_list_u32_t of = indices_to(indices);
  espejote_plugin_state_list_json_t list;
  espejote_plugin_state_method_collection_read(borrow(collection), &of, &list);
  return texts_from(list);
}

esp_texts host_scan(const esp_collection *collection, uint32_t start, uint32_t max_bytes) {
  espejote_plugin_state_list_json_t list;
  espejote_plugin_state_method_collection_scan(borrow(collection), start, max_bytes, &list);
  return texts_from(list);
}

bool host_values(const esp_collection *collection, esp_indices indices, const char *pointer, esp_texts *values,
                 const char **wrong) {
  wit_list_u32_t of = indices_to(indices);
  wit_string_t at_pointer = to(pointer), error;
  espejote_plugin_state_list_option_json_t list;
  if (!espejote_plugin_state_method_collection_values(borrow(collection), &of, &at_pointer, &list, &error)) {
    *wrong = from(error);
    return false;
  }
  esp_text *at = esp_alloc(list.len * sizeof *at);
  for (size_t i = 0; i < list.len; i++) {
    if (list.ptr[i].is_some) at[i] = esp_text_from_host(list.ptr[i].val);
  }
  *values = (esp_texts){at, list.len};
  return true;
}

esp_strings host_provided_names(void) {
  wit_list_string_t names;
  espejote_plugin_provided_names(&names);
  return strings_from(names);
}

bool host_provided(const char *name, esp_text *value, host_unavailable *why) {
  wit_string_t asked = to(name), text;
  espejote_plugin_provided_unavailable_t unavailable;
  bool ok = espejote_plugin_provided_get(&asked, &text, &unavailable);
  if (ok) *value = esp_text_from_host(text);
  else *why = unavailable_from(unavailable);
  return ok;
}

static host_file_error file_error_from(espejote_plugin_library_read_error_t error) {
  return (host_file_error){(host_file_reason)error.reason, from(error.message)};
}

bool host_read_file(const char *path, esp_text *content, host_file_error *why) {
  wit_string_t of = to(path);
  wit_list_u8_t bytes;
  espejote_plugin_library_read_error_t error;
  bool ok = espejote_plugin_library_read(&of, &bytes, &error);
  if (ok) *content = esp_text_from_host((wit_string_t){bytes.ptr, bytes.len});
  else *why = file_error_from(error);
  return ok;
}

bool host_file_revision(const char *path, esp_revision *revision, host_file_error *why) {
  wit_string_t of = to(path);
  espejote_plugin_library_read_error_t error;
  bool ok = espejote_plugin_library_revision_of(&of, revision, &error);
  if (!ok) *why = file_error_from(error);
  return ok;
}

const char *host_trigger_name(void) {
  wit_string_t name;
  return espejote_plugin_trigger_name(&name) ? from(name) : NULL;
}

bool host_trigger_event(esp_id *id) {
  espejote_plugin_trigger_object_id_t event;
  bool some = espejote_plugin_trigger_event(&event);
  if (some) *id = id_from(event);
  return some;
}

esp_text host_trigger_object(void) {
  wit_string_t object;
  return espejote_plugin_trigger_object(&object) ? esp_text_from_host(object) : (esp_text){NULL, 0};
}

void host_apply(esp_text object, const esp_apply_options *options) {
  wit_string_t text = esp_text_to_host(object);
  espejote_plugin_desired_apply_options_t to_host = {0};
  if (options) {
    to_host.field_manager = option_to(options->field_manager);
    to_host.field_manager_suffix = option_to(options->field_manager_suffix);
    to_host.force = (wit_option_bool_t){options->force != ESP_UNSET, options->force == ESP_YES};
    to_host.field_validation.is_some = options->field_validation != ESP_FIELDS_UNSET;
    if (options->field_validation) to_host.field_validation.val = (uint8_t)(options->field_validation - ESP_FIELDS_IGNORE);
    to_host.subresource = option_to(options->subresource);
  }
  espejote_plugin_desired_apply(&text, options ? &to_host : NULL);
}

void host_delete(esp_id id, const esp_delete_options *options) {
  espejote_plugin_desired_object_id_t of = {to(id.api_version), to(id.kind), to(id.namespace), to(id.name)};
  espejote_plugin_desired_delete_options_t to_host = {0};
  if (options) {
    to_host.grace_period_seconds.is_some = options->grace_period_seconds != NULL;
    if (options->grace_period_seconds) to_host.grace_period_seconds.val = *options->grace_period_seconds;
    to_host.propagation_policy.is_some = options->propagation != ESP_PROPAGATION_UNSET;
    if (options->propagation) to_host.propagation_policy.val = (uint8_t)(options->propagation - ESP_BACKGROUND);
    to_host.precondition_uid = option_to(options->uid);
    to_host.precondition_resource_version = option_to(options->resource_version);
  }
  espejote_plugin_desired_delete(&of, options ? &to_host : NULL);
}

void host_open_group(esp_policy policy) {
  espejote_plugin_desired_error_policy_t to_host = (uint8_t)(policy - ESP_CONTINUE);
  espejote_plugin_desired_open_group(policy == ESP_AS_OUTSIDE ? NULL : &to_host);
}

void host_close_group(void) { espejote_plugin_desired_close_group(); }

void host_requeue_after(uint32_t milliseconds) { espejote_plugin_report_requeue_after(milliseconds); }

void host_set_message(const char *message) {
  wit_string_t text = to(message);
  espejote_plugin_report_set_message(&text);
}

void host_set_condition(const char *type, esp_status status, const char *reason, const char *message) {
  espejote_plugin_report_condition_t condition = {to(type), (uint8_t)status, to(reason), to(message)};
  espejote_plugin_report_set_condition(&condition);
}

void host_set_waiting(const char *reason, const char *message) {
  wit_string_t why = to(reason), text = to(message);
  espejote_plugin_report_set_waiting(&why, &text);
}

void host_set_document(esp_text document) {
  wit_string_t text = esp_text_to_host(document);
  espejote_plugin_report_set_document(&text);
}

void host_warn(const char *message) {
  wit_string_t text = to(message);
  espejote_plugin_admission_warn(&text);
}

void host_annotate(const char *key, const char *value) {
  wit_string_t of = to(key), text = to(value);
  espejote_plugin_admission_annotate(&of, &text);
}

bool host_log_enabled(esp_level level) { return espejote_plugin_logging_enabled((uint8_t)level); }

void host_log(esp_level level, const char *message, const esp_field *fields, size_t count) {
  wit_string_t text = to(message);
  wit_tuple2_string_string_t *pairs = esp_alloc(count * sizeof *pairs);
  for (size_t i = 0; i < count; i++) pairs[i] = (wit_tuple2_string_string_t){to(fields[i].key), to(fields[i].value)};
  wit_list_tuple2_string_string_t list = {pairs, count};
  espejote_plugin_logging_log((uint8_t)level, &text, &list);
}

