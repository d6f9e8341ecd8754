/* Write Espejote plugins in C.
 *
 * A plugin is a WebAssembly component that implements one or more roles. Each role is a function; define those that plugin.toml
 * names:
 *
 *   #include <espejote.h>
 *
 *   esp_result esp_reconcile(void) {
 *     esp_collection *namespaces;
 *     ESP_TRY(esp_open("namespaces", &namespaces));
 *     esp_ids ids = esp_ids_at(namespaces, esp_all(namespaces));
 *     for (size_t i = 0; i < ids.len; i++) {
 *       esp_apply(esp_build("{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'team', 'namespace': %s}}",
 *                           ids.at[i].name), NULL);
 *     }
 *     return ESP_OK;
 *   }
 *
 * Memory: whatever comes from here lies in the memory of the call and ends with it. Nothing is freed, nothing may be kept.
 * Strings are UTF-8 with a NUL byte after them; NULL stands for "none". What goes to the host is mended where it is no UTF-8.
 *
 * All that can be read is of one instant: nothing changes during a call. Nothing that is emitted is written unless the function
 * returns ESP_OK.
 *
 * A trap (abort, a wild pointer out of the memory, recursion without end) ends the call and the instance; what was printed
 * to standard error is in the operator's log. */
#ifndef ESPEJOTE_H
#define ESPEJOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "espejote_json.h"
#include "espejote_memory.h"

/* ---- How a call ends -------------------------------------------------------------------------------------------------- */

/* Decides what the host does next. */
typedef enum esp_kind {
  /* The config cannot work: stalled, not tried again until it changes. */
  ESP_INVALID_CONFIG,
  /* Something read from the cluster cannot be used: stalled, tried again when something that the call could read changes, and
   * at the longest back-off. */
  ESP_INVALID_INPUT,
  /* The result breaks a rule: tried again as ESP_INVALID_INPUT. */
  ESP_INVALID_OUTPUT,
  /* Something needed is not there yet: reconciling, no event, tried again with back-off or after esp_requeue_after. */
  ESP_NOT_READY,
  /* Anything else, bugs included: not ready, tried again with back-off. */
  ESP_INTERNAL,
} esp_kind;

typedef struct esp_failure {
  esp_kind kind;
  /* For people: which object or path, what was expected. No contents of Secrets. */
  const char *message;
} esp_failure;

/* ESP_OK, or why not. */
typedef const esp_failure *esp_result;
#define ESP_OK ((esp_result)NULL)

/* Returns the failure of an expression, if it is one, from the function around. */
#define ESP_TRY(expression)                     \
  do {                                          \
    esp_result esp_tried = (expression);        \
    if (esp_tried) return esp_tried;            \
  } while (0)

/* A failure, with a message as printf writes it. */
esp_result esp_fail(esp_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- Roles: defined by the plugin -------------------------------------------------------------------------------------- */

/* Logic of a ManagedResource. Called once for each trigger key; the clock stands still meanwhile. */
esp_result esp_reconcile(void);

/* Computes an entry of context. The owner is the one whose manifest has the entry; the config is the entry's. */
esp_result esp_provide(const esp_json **value);

/* The answer to an admission request. It starts as: allowed. */
typedef struct esp_decision {
  bool allowed;
  /* HTTP status code in the answer. 0: 200 if allowed, 403 if not. */
  uint16_t code;
  /* For the user who sent the request. NULL: none. */
  const char *message;
  /* A JSON patch (RFC 6902), or the whole object as it should be; the host works out the patch then. At most one, none if not
   * allowed, and only where the manifest says mutating: true. */
  const esp_json *patch, *object;
} esp_decision;

/* Decides on one AdmissionRequest (admission.k8s.io/v1). A failure refuses the request with code 500. */
esp_result esp_admit(const esp_json *request, esp_decision *decision);

/* The JSON Schema (2020-12) of the config for a role: reconcile, provide, admit. NULL: none.
 *
 * This and esp_validate are called when a manifest is checked, before anything runs. They may log, and ask nothing else. */
const char *esp_schema(const char *role);

/* Says what a schema cannot, by esp_problem. The config satisfies the schema. */
void esp_validate(const char *role, const esp_json *config);

/* One thing that is wrong with the config; path is a JSON pointer into it, empty for the whole. */
void esp_problem(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- The call ----------------------------------------------------------------------------------------------------------- */

/* Names one object of the cluster. */
typedef struct esp_id {
  /* group/version, or v1 for the core group. */
  const char *api_version;
  const char *kind;
  /* Empty for cluster-scoped kinds. In what is emitted, empty for a namespaced kind means the namespace of the owner. */
  const char *namespace;
  const char *name;
} esp_id;

/* The ManagedResource, Admission or ClusterAdmission that uses the plugin. */
typedef struct esp_owner {
  /* Its namespace is the default for what the call emits. */
  esp_id id;
  const char *uid;
} esp_owner;

esp_owner esp_get_owner(void);

/* An entry for metadata.ownerReferences, so that what is emitted goes when the owner goes. Good for objects in the owner's
 * namespace, and for cluster-scoped ones if the owner is cluster-scoped. */
esp_json *esp_owner_reference(void);

/* The config that the manifest gives; null if there is none. */
const esp_json *esp_config(void);

/* Allows the host to use this instance for a later call with the same owner and config. To be called anew in each call; a wish
 * only. What is kept must be a cache, recognised by revisions, and lie in memory from malloc. */
void esp_keep_instance(void);

/* ---- State of the cluster ------------------------------------------------------------------------------------------------ */

/* Stands for a content: equal means equal bytes, for as long as this instance lives. They have no order. */
typedef uint64_t esp_revision;

/* Objects, ordered by namespace, then name. An object is named by its index, which is good for this collection only. An index
 * out of range, or use in a later call, traps. */
typedef struct esp_collection esp_collection;

typedef struct esp_strings { const char **at; size_t len; } esp_strings;
typedef struct esp_indices { const uint32_t *at; size_t len; } esp_indices;
typedef struct esp_revisions { const esp_revision *at; size_t len; } esp_revisions;
typedef struct esp_ids { const esp_id *at; size_t len; } esp_ids;
typedef struct esp_texts { const esp_text *at; size_t len; } esp_texts;
/* NULL where there is no value. */
typedef struct esp_values { const esp_json **at; size_t len; } esp_values;

/* The names of all contexts that hold objects, in the order of the manifest; available or not. */
esp_strings esp_contexts(void);

/* The objects of one context. A failure is never the same as "there are none": it is ESP_NOT_READY while the context is being
 * filled, ESP_INVALID_INPUT otherwise. */
esp_result esp_open(const char *name, esp_collection **collection);

uint32_t esp_len(const esp_collection *collection);

/* Stands for the whole: equal means the same objects, the same bytes and the same indices. */
esp_revision esp_collection_revision(const esp_collection *collection);

/* The revision of every object, by index. With them a kept instance reads only what changed. */
esp_revisions esp_collection_revisions(const esp_collection *collection);

/* The index of one object; namespace is empty for cluster-scoped kinds. */
bool esp_find(const esp_collection *collection, const char *namespace, const char *name, uint32_t *index);

/* All indices. */
esp_indices esp_all(const esp_collection *collection);

/* The indices, ascending, of the objects in one namespace (NULL: in all) that match a label selector written as for kubectl -l
 * (empty: matches all). The host's index answers. ESP_INVALID_INPUT with what is wrong with the selector. */
esp_result esp_select(const esp_collection *collection, const char *namespace, const char *selector, esp_indices *indices);

/* Type, namespace and name of the given objects, in the given order. */
esp_ids esp_ids_at(const esp_collection *collection, esp_indices indices);

/* The given objects, in the given order. Traps if they cannot fit into the memory allowed to the instance. */
esp_result esp_read(const esp_collection *collection, esp_indices indices, esp_values *objects);
esp_texts esp_read_texts(const esp_collection *collection, esp_indices indices);

/* The objects from start on, as text: as many as fit into max_bytes, but at least one. Empty only at the end. */
esp_texts esp_scan_texts(const esp_collection *collection, uint32_t start, uint32_t max_bytes);

/* The value at a JSON pointer (RFC 6901) in each of the given objects, in the given order; NULL where there is none. The
 * host finds them, so the rest of the objects is not copied. ESP_INVALID_INPUT with what is wrong with the pointer. */
esp_result esp_values_at(const esp_collection *collection, esp_indices indices, const char *pointer, esp_values *values);

/* The names of all entries of context that another plugin computes, in the order of the manifest. */
esp_strings esp_provided_names(void);

/* The value of one. Its provider runs at most once for a call. Fails as esp_open. */
esp_result esp_provided(const char *name, const esp_json **value);

/* A file of a JsonnetLibrary: <library>/<key> in the owner's namespace, or lib/<library>/<key> in the library namespace of
 * the operator. ESP_NOT_READY if libraries cannot be read now, ESP_INVALID_INPUT otherwise. */
esp_result esp_read_file(const char *path, esp_text *content);

/* Tells, without reading the file, whether what a kept instance remembers of it is still right. */
esp_result esp_file_revision(const char *path, esp_revision *revision);

/* ---- What started a reconcile --------------------------------------------------------------------------------------------- */

/* The name of the trigger in the manifest. NULL: the general reconcile, for all objects at once. */
const char *esp_trigger(void);

/* Whether the change of an object started this call, and which. Several changes of it may have been merged into one call. */
bool esp_event(esp_id *id);

/* That object as it is at the instant of the state; NULL if it is gone, or if there is none. */
const esp_json *esp_event_object(void);

/* ---- What to emit ---------------------------------------------------------------------------------------------------------- */

/* Something that may be left out. */
typedef enum esp_choice { ESP_UNSET, ESP_YES, ESP_NO } esp_choice;

typedef enum esp_field_validation {
  ESP_FIELDS_UNSET,
  ESP_FIELDS_IGNORE,
  ESP_FIELDS_WARN,
  ESP_FIELDS_STRICT,
} esp_field_validation;

/* What is zero comes from spec.applyOptions of the owner, then from the host's defaults. */
typedef struct esp_apply_options {
  const char *field_manager;
  /* Appended to the field manager, whichever it is; gives one owner several managers. */
  const char *field_manager_suffix;
  /* Take fields over from other managers. ESP_NO wins over the owner's yes. */
  esp_choice force;
  esp_field_validation field_validation;
  /* Apply to this subresource, such as status, instead of the object itself. */
  const char *subresource;
} esp_apply_options;

/* Server-side apply of an object: apiVersion, kind, metadata.name and the fields to own. Options may be NULL. */
void esp_apply(const esp_json *object, const esp_apply_options *options);

/* As esp_apply, for JSON that is text already. */
void esp_apply_text(esp_text object, const esp_apply_options *options);

typedef enum esp_propagation {
  ESP_PROPAGATION_UNSET,
  ESP_BACKGROUND,
  ESP_FOREGROUND,
  ESP_ORPHAN,
} esp_propagation;

/* What is zero is up to the API server. */
typedef struct esp_delete_options {
  const uint32_t *grace_period_seconds;
  esp_propagation propagation;
  /* Delete only the object with this uid, only this version of it. */
  const char *uid, *resource_version;
} esp_delete_options;

/* Deletes an object. That it does not exist is no error. Options may be NULL. */
void esp_delete(esp_id id, const esp_delete_options *options);

typedef enum esp_policy {
  /* The policy of the group around; outside of all groups that is ESP_CONTINUE. */
  ESP_AS_OUTSIDE,
  /* After an error at an item, carry on and report all errors at the end. */
  ESP_CONTINUE,
  /* After an error at an item, leave out the rest of the group. For the group around, this group is one item with an error. */
  ESP_ABORT,
} esp_policy;

/* Starts a group: it is the next item of the group around, and takes in all that follows up to its esp_close_group, without
 * which the call fails. */
void esp_open_group(esp_policy policy);
void esp_close_group(void);

/* ---- What to report: taken whether the call succeeds or fails, lost if it traps ---------------------------------------------- */

/* Reconciles the same trigger and object again after this time, also if nothing changes. After a failure it takes the place of
 * the back-off. The host may make it longer; a change that comes earlier is not held up. */
void esp_requeue_after(uint32_t milliseconds);

/* One sentence for people, shown with Ready. */
void esp_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

typedef enum esp_status { ESP_STATUS_TRUE, ESP_STATUS_FALSE, ESP_STATUS_UNKNOWN } esp_status;

/* Sets one condition in the owner's status; conditions that are not set again are removed. Type and reason are CamelCase words;
 * Ready, Reconciling and Stalled are the host's. Of several calls, false is shown before unknown before true, so give
 * conditions a positive sense: Synced, not OutOfSync. */
void esp_condition(const char *type, esp_status status, const char *reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What was emitted is right, but the whole is not there yet: the owner is Reconciling and not Ready. */
void esp_waiting(const char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The result in the plugin's own form: espejote render prints it instead of the items emitted. Never applied. */
void esp_document(const esp_json *document);

/* Shows a message to the user who sent an admission request. At most 256 bytes are sure to be shown. */
void esp_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Adds to the audit event of an admission request. */
void esp_annotate(const char *key, const char *value);

/* ---- Log --------------------------------------------------------------------------------------------------------------------- */

typedef enum esp_level { ESP_TRACE, ESP_DEBUG, ESP_INFO, ESP_WARN, ESP_ERROR } esp_level;

typedef struct esp_field { const char *key, *value; } esp_field;

/* A line in the operator's log. The message is constant text; what varies goes into fields. No contents of Secrets.
 *
 *   esp_log(ESP_INFO, "copied", {"namespace", name}, {"copies", esp_format("%d", copies)}); */
#define esp_log(level, message, ...) \
  esp_log_fields((level), (message), (const esp_field[]){__VA_ARGS__ __VA_OPT__(, ) {NULL, NULL}})

/* Whether a line of this level would be kept; saves putting it together. */
bool esp_log_enabled(esp_level level);

/* As esp_log; the last field has the key NULL. */
void esp_log_fields(esp_level level, const char *message, const esp_field *fields);

#endif
