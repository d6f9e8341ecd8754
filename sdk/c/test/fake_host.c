/* A host in memory. What the call finds, and what it emits, are JSON values; see espejote_test.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "espejote_test.h"
#include "fake_host.h"
#include "fake_selector.h"
#include "../src/host.h"
#include "../src/memory.h"

static struct {
  esp_owner owner;
  esp_json *config, *contexts, *unavailable, *provided, *files;
  const char *trigger;
  const esp_json *event_object;
  esp_id event;
  bool has_event;
} cluster;

static esp_json *result;
/* The items of the groups that are open, the outermost first. */
static esp_json *open_items[64];
static size_t depth;

/* ---- What the call finds ---- */

void fake_forget(void) {
  esp_end_call();
  memset(&cluster, 0, sizeof cluster);
  cluster.owner = (esp_owner){{"espejote.io/v1alpha1", "ManagedResource", "default", "plugin"}, "uid"};
  cluster.config = esp_new_null();
  cluster.contexts = esp_object();
  cluster.unavailable = esp_object();
  cluster.provided = esp_object();
  cluster.files = esp_object();
}

/* JSON, or the same with single quotes. */
static esp_json *json(const char *text) { return esp_build(text); }

void fake_owner(esp_id id, const char *uid) { cluster.owner = (esp_owner){id, uid}; }
void fake_config(const char *text) { cluster.config = json(text); }
void fake_context(const char *name, const char *text) { esp_set(cluster.contexts, name, json(text)); }
void fake_provided(const char *name, const char *text) { esp_set(cluster.provided, name, json(text)); }
void fake_file(const char *path, const char *content) { esp_set(cluster.files, path, esp_new_string(content)); }
void fake_trigger(const char *name) { cluster.trigger = name; }

void fake_unavailable(const char *name, const char *reason, const char *message) {
  esp_set(cluster.unavailable, name, esp_build("{'reason': %s, 'message': %s}", reason, message));
}

static esp_id id_of(const esp_json *object) {
  return (esp_id){
      esp_string_or(esp_get(object, "apiVersion"), ""),
      esp_string_or(esp_get(object, "kind"), ""),
      esp_string_or(esp_at(object, "/metadata/namespace"), ""),
      esp_string_or(esp_at(object, "/metadata/name"), ""),
  };
}

void fake_event(const char *text) {
  cluster.event_object = json(text);
  fake_event_gone(id_of(cluster.event_object));
}

void fake_event_gone(esp_id id) {
  cluster.event = id;
  cluster.has_event = true;
}

/* ---- The call ---- */

void fake_start(void) {
  depth = 0;
  result = esp_build("{'items': [], 'conditions': {}, 'log': [], 'warnings': [], 'annotations': {}, 'keepInstance': false}");
}

esp_result fake_reconcile(void) {
  fake_start();
  return esp_reconcile();
}

esp_result fake_provide(const esp_json **value) {
  esp_text text = {NULL, 0};
  fake_start();
  esp_result failure = esp_run_provide(&text);
  *value = failure ? NULL : esp_parse(text, NULL);
  return failure;
}

esp_result fake_admit(const char *request, esp_decision *decision) {
  esp_text patch, object;
  fake_start();
  return esp_run_admit(esp_write(json(request)), decision, &patch, &object);
}

const esp_json *fake_validate(const char *role, const char *config) {
  esp_json *list = esp_array();
  fake_start();
  esp_problems problems = esp_run_validate(role, esp_write(json(config)));
  for (size_t i = 0; i < problems.len; i++) {
    esp_push(list, esp_build("{'path': %s, 'message': %s}", problems.at[i].path, problems.at[i].message));
  }
  return list;
}

const esp_json *fake_result(void) { return result; }
const esp_json *fake_at(const char *pointer) { return esp_at(result, pointer); }

/* ---- State ---- */

esp_owner host_owner(void) { return cluster.owner; }
esp_text host_config(void) { return esp_write(cluster.config); }
void host_keep_instance(void) { esp_set(result, "keepInstance", esp_new_bool(true)); }

static esp_strings keys(const esp_json *object) {
  const char **at = esp_alloc(esp_count(object) * sizeof *at);
  size_t len = 0;
  for (const esp_cell *cell = esp_first(object); cell; cell = esp_next(cell)) at[len++] = esp_key(cell);
  return (esp_strings){at, len};
}

static host_unavailable_reason reason_of(const char *word) {
  static const char *const words[] = {"unknown-name", "not-synced", "forbidden", "failed"};
  for (int i = 0; i < 4; i++) {
    if (!strcmp(word, words[i])) return (host_unavailable_reason)i;
  }
  esp_abort("fake_unavailable: expected unknown-name, not-synced, forbidden or failed");
}

/* Looks a name up; NULL, and why, if it is not there. */
static const esp_json *looked_up(const esp_json *in, const char *name, host_unavailable *why) {
  const esp_json *entry = esp_get(cluster.unavailable, name);
  if (entry) {
    *why = (host_unavailable){reason_of(esp_string(esp_get(entry, "reason"))), esp_string(esp_get(entry, "message"))};
    return NULL;
  }
  const esp_json *found = esp_get(in, name);
  if (!found) *why = (host_unavailable){UNKNOWN_NAME, esp_format("there is no context \"%s\"", name)};
  return found;
}

struct esp_collection {
  const esp_json **objects;
  size_t len;
};

static int by_namespace_and_name(const void *a, const void *b) {
  esp_id one = id_of(*(const esp_json *const *)a), other = id_of(*(const esp_json *const *)b);
  int order = strcmp(one.namespace, other.namespace);
  return order ? order : strcmp(one.name, other.name);
}

esp_strings host_context_names(void) { return keys(cluster.contexts); }

esp_collection *host_open(const char *name, host_unavailable *why) {
  const esp_json *objects = looked_up(cluster.contexts, name, why);
  if (!objects) return NULL;
  esp_collection *collection = esp_alloc(sizeof *collection);
  collection->objects = esp_alloc(esp_count(objects) * sizeof *collection->objects);
  for (const esp_cell *cell = esp_first(objects); cell; cell = esp_next(cell)) {
    collection->objects[collection->len++] = esp_value(cell);
  }
  qsort(collection->objects, collection->len, sizeof *collection->objects, by_namespace_and_name);
  return collection;
}

/* The real host traps. */
static const esp_json *object_at(const esp_collection *collection, uint32_t index) {
  if (index >= collection->len) esp_abort("an index out of range");
  return collection->objects[index];
}

/* FNV-1a: equal text, equal revision. */
static esp_revision revision_of(esp_revision before, esp_text text) {
  for (size_t i = 0; i < text.len; i++) before = (before ^ (unsigned char)text.ptr[i]) * 0x100000001b3u;
  return before * 31 + text.len;
}

static const esp_revision first_revision = 0xcbf29ce484222325u;

uint32_t host_len(const esp_collection *collection) { return (uint32_t)collection->len; }

esp_revision host_revision(const esp_collection *collection) {
  esp_revision revision = first_revision;
  for (size_t i = 0; i < collection->len; i++) revision = revision_of(revision, esp_write(collection->objects[i]));
  return revision;
}

esp_revisions host_revisions(const esp_collection *collection) {
  esp_revision *at = esp_alloc(collection->len * sizeof *at);
  for (size_t i = 0; i < collection->len; i++) at[i] = revision_of(first_revision, esp_write(collection->objects[i]));
  return (esp_revisions){at, collection->len};
}

bool host_find(const esp_collection *collection, const char *namespace, const char *name, uint32_t *index) {
  for (size_t i = 0; i < collection->len; i++) {
    esp_id id = id_of(collection->objects[i]);
    if (strcmp(id.namespace, namespace) || strcmp(id.name, name)) continue;
    *index = (uint32_t)i;
    return true;
  }
  return false;
}

bool host_select(const esp_collection *collection, const char *namespace, const char *selector, esp_indices *indices,
                 const char **wrong) {
  uint32_t *at = esp_alloc(collection->len * sizeof *at);
  size_t len = 0;
  *wrong = NULL;
  fake_matches(selector, NULL, wrong);
  for (size_t i = 0; i < collection->len; i++) {
    const esp_json *object = collection->objects[i];
    if (namespace && strcmp(namespace, id_of(object).namespace)) continue;
    if (fake_matches(selector, esp_at(object, "/metadata/labels"), wrong)) at[len++] = (uint32_t)i;
  }
  *indices = (esp_indices){at, len};
  return !*wrong;
}

esp_ids host_ids(const esp_collection *collection, esp_indices indices) {
  esp_id *at = esp_alloc(indices.len * sizeof *at);
  for (size_t i = 0; i < indices.len; i++) at[i] = id_of(object_at(collection, indices.at[i]));
  return (esp_ids){at, indices.len};
}

esp_texts host_read(const esp_collection *collection, esp_indices indices) {
  esp_text *at = esp_alloc(indices.len * sizeof *at);
  for (size_t i = 0; i < indices.len; i++) at[i] = esp_write(object_at(collection, indices.at[i]));
  return (esp_texts){at, indices.len};
}

esp_texts host_scan(const esp_collection *collection, uint32_t start, uint32_t max_bytes) {
  if (start > collection->len) esp_abort("an index out of range");
  esp_text *at = esp_alloc((collection->len - start) * sizeof *at);
  size_t len = 0, size = 0;
  for (size_t i = start; i < collection->len; i++) {
    esp_text text = esp_write(collection->objects[i]);
    size += text.len;
    if (len && size > max_bytes) break;
    at[len++] = text;
  }
  return (esp_texts){at, len};
}

bool host_values(const esp_collection *collection, esp_indices indices, const char *pointer, esp_texts *values,
                 const char **wrong) {
  if (*pointer && *pointer != '/') {
    *wrong = "a JSON pointer is empty or starts with a slash";
    return false;
  }
  esp_text *at = esp_alloc(indices.len * sizeof *at);
  for (size_t i = 0; i < indices.len; i++) {
    const esp_json *value = esp_at(object_at(collection, indices.at[i]), pointer);
    if (value) at[i] = esp_write(value);
  }
  *values = (esp_texts){at, indices.len};
  return true;
}

esp_strings host_provided_names(void) { return keys(cluster.provided); }

bool host_provided(const char *name, esp_text *value, host_unavailable *why) {
  const esp_json *found = looked_up(cluster.provided, name, why);
  if (found) *value = esp_write(found);
  return found;
}

bool host_read_file(const char *path, esp_text *content, host_file_error *why) {
  const esp_json *file = esp_get(cluster.files, path);
  *content = esp_text_in(file);
  if (!file) *why = (host_file_error){NO_KEY, esp_format("there is no file \"%s\"", path)};
  return file;
}

bool host_file_revision(const char *path, esp_revision *revision, host_file_error *why) {
  esp_text content;
  if (!host_read_file(path, &content, why)) return false;
  *revision = revision_of(first_revision, content);
  return true;
}

const char *host_trigger_name(void) { return cluster.trigger; }

bool host_trigger_event(esp_id *id) {
  *id = cluster.event;
  return cluster.has_event;
}

esp_text host_trigger_object(void) {
  return cluster.event_object ? esp_write(cluster.event_object) : (esp_text){NULL, 0};
}

/* ---- What it emits and reports ---- */

static void emit(esp_json *item) {
  if (depth) esp_push(open_items[depth - 1], item);
  else esp_push((esp_json *)esp_get(result, "items"), item);
}

static void set_string(esp_json *object, const char *key, const char *value) {
  if (value) esp_set(object, key, esp_new_string(value));
}

void host_apply(esp_text object, const esp_apply_options *options) {
  static const char *const validations[] = {NULL, "Ignore", "Warn", "Strict"};
  esp_json *given = esp_object();
  const char *error;
  const esp_json *parsed = esp_parse(object, &error);
  if (!parsed) esp_abort(esp_format("esp_apply: %s", error));
  if (options) {
    set_string(given, "fieldManager", options->field_manager);
    set_string(given, "fieldManagerSuffix", options->field_manager_suffix);
    if (options->force != ESP_UNSET) esp_set(given, "force", esp_new_bool(options->force == ESP_YES));
    set_string(given, "fieldValidation", validations[options->field_validation]);
    set_string(given, "subresource", options->subresource);
  }
  emit(esp_build("{'apply': %j, 'options': %j}", parsed, given));
}

void host_delete(esp_id id, const esp_delete_options *options) {
  static const char *const policies[] = {NULL, "Background", "Foreground", "Orphan"};
  esp_json *given = esp_object();
  if (options) {
    if (options->grace_period_seconds) esp_set(given, "gracePeriodSeconds", esp_new_int(*options->grace_period_seconds));
    set_string(given, "propagationPolicy", policies[options->propagation]);
    set_string(given, "uid", options->uid);
    set_string(given, "resourceVersion", options->resource_version);
  }
  emit(esp_build("{'delete': {'apiVersion': %s, 'kind': %s, 'namespace': %s, 'name': %s}, 'options': %j}", id.api_version,
                 id.kind, id.namespace, id.name, given));
}

void host_open_group(esp_policy policy) {
  static const char *const policies[] = {NULL, "Continue", "Abort"};
  esp_json *items = esp_array();
  if (depth == sizeof open_items / sizeof *open_items) esp_abort("too many groups in each other");
  emit(esp_build("{'group': {'policy': %s, 'items': %j}}", policies[policy], items));
  open_items[depth++] = items;
}

void host_close_group(void) {
  if (!depth) esp_abort("esp_close_group without an open group");
  depth--;
}

void host_requeue_after(uint32_t milliseconds) { esp_set(result, "requeueAfter", esp_new_int(milliseconds)); }
void host_set_message(const char *message) { set_string(result, "message", message); }
void host_set_document(esp_text document) { esp_set(result, "document", esp_parse(document, NULL)); }

void host_set_condition(const char *type, esp_status status, const char *reason, const char *message) {
  static const char *const statuses[] = {"True", "False", "Unknown"};
  esp_set((esp_json *)esp_get(result, "conditions"), type,
          esp_build("{'status': %s, 'reason': %s, 'message': %s}", statuses[status], reason, message));
}

void host_set_waiting(const char *reason, const char *message) {
  esp_set(result, "waiting", esp_build("{'reason': %s, 'message': %s}", reason, message));
}

void host_warn(const char *message) { esp_push((esp_json *)esp_get(result, "warnings"), esp_new_string(message)); }

void host_annotate(const char *key, const char *value) {
  set_string((esp_json *)esp_get(result, "annotations"), key, value);
}

bool host_log_enabled(esp_level level) { return level >= ESP_INFO; }

void host_log(esp_level level, const char *message, const esp_field *fields, size_t count) {
  static const char *const levels[] = {"trace", "debug", "info", "warn", "error"};
  esp_json *given = esp_object();
  for (size_t i = 0; i < count; i++) set_string(given, fields[i].key, fields[i].value);
  esp_push((esp_json *)esp_get(result, "log"),
           esp_build("{'level': %s, 'message': %s, 'fields': %j}", levels[level], message, given));
}
