/* What a call may ask of its host, in C's words: one function for each that the contract lets a plugin import. Two files
 * define them: component_imports.c by the generated bindings, and test/fake_host.c in memory. espejote.c is written against
 * this alone. What is returned lies in the memory of the call. NULL is "none". */
#ifndef ESPEJOTE_SRC_HOST_H
#define ESPEJOTE_SRC_HOST_H

#include "espejote.h"

/* As the contract numbers them. */
typedef enum host_unavailable_reason { UNKNOWN_NAME, NOT_SYNCED, FORBIDDEN, FAILED } host_unavailable_reason;

typedef struct host_unavailable {
  host_unavailable_reason reason;
  const char *message;
} host_unavailable;

typedef enum host_file_reason {
  INVALID_PATH,
  NO_NAMESPACE,
  NO_LIBRARY,
  NO_KEY,
  LIBRARY_UNAVAILABLE,
  LIBRARY_FAILED,
} host_file_reason;

typedef struct host_file_error {
  host_file_reason reason;
  const char *message;
} host_file_error;

esp_owner host_owner(void);
esp_text host_config(void);
void host_keep_instance(void);

esp_strings host_context_names(void);
/* NULL: why says why. */
esp_collection *host_open(const char *name, host_unavailable *why);
uint32_t host_len(const esp_collection *collection);
esp_revision host_revision(const esp_collection *collection);
esp_revisions host_revisions(const esp_collection *collection);
bool host_find(const esp_collection *collection, const char *namespace, const char *name, uint32_t *index);
/* False: wrong says what is wrong. */
bool host_select(const esp_collection *collection, const char *namespace, const char *selector, esp_indices *indices,
                 const char **wrong);
esp_ids host_ids(const esp_collection *collection, esp_indices indices);
esp_texts host_read(const esp_collection *collection, esp_indices indices);
esp_texts host_scan(const esp_collection *collection, uint32_t start, uint32_t max_bytes);
/* A NULL ptr where there is no value. */
bool host_values(const esp_collection *collection, esp_indices indices, const char *pointer, esp_texts *values,
                 const char **wrong);

esp_strings host_provided_names(void);
bool host_provided(const char *name, esp_text *value, host_unavailable *why);

bool host_read_file(const char *path, esp_text *content, host_file_error *why);
bool host_file_revision(const char *path, esp_revision *revision, host_file_error *why);

const char *host_trigger_name(void);
bool host_trigger_event(esp_id *id);
esp_text host_trigger_object(void);

void host_apply(esp_text object, const esp_apply_options *options);
void host_delete(esp_id id, const esp_delete_options *options);
void host_open_group(esp_policy policy);
void host_close_group(void);

void host_requeue_after(uint32_t milliseconds);
void host_set_message(const char *message);
void host_set_condition(const char *type, esp_status status, const char *reason, const char *message);
void host_set_waiting(const char *reason, const char *message);
void host_set_document(esp_text document);

void host_warn(const char *message);
void host_annotate(const char *key, const char *value);

bool host_log_enabled(esp_level level);
void host_log(esp_level level, const char *message, const esp_field *fields, size_t count);

/* One call of each role, as component_exports.c and the fake host run it: what espejote.c makes of the plugin's functions. */
typedef struct esp_problem_entry { const char *path, *message; } esp_problem_entry;
typedef struct esp_problems { const esp_problem_entry *at; size_t len; } esp_problems;

esp_result esp_run_provide(esp_text *value);
esp_result esp_run_admit(esp_text request, esp_decision *decision, esp_text *patch, esp_text *object);
esp_problems esp_run_validate(const char *role, esp_text config);

#endif
