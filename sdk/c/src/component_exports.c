/* What the component exports: the roles, and the memory that the host asks for.
 *
 * Memory: the host puts strings and lists into the memory of the call (cabi_realloc), with a NUL byte after each string. What an
 * export returns lies in memory from malloc, which the generated post-return functions free. WASI's adapter keeps
 * what it gets for as long as the instance lives, so it has a door of its own. */
#include <stdlib.h>
#include <string.h>

#include "component.h"
#include "host.h"
#include "memory.h"

void *cabi_realloc(void *old, size_t old_size, size_t align, size_t size);
void *cabi_realloc_adapter(void *old, size_t old_size, size_t align, size_t size);

__attribute__((__export_name__("cabi_realloc"))) void *cabi_realloc(void *old, size_t old_size, size_t align, size_t size) {
  char *memory = esp_alloc_aligned(size + 1, align);
  if (old_size) memcpy(memory, old, old_size < size ? old_size : size);
  memory[size] = '\0';
  return memory;
}

__attribute__((__export_name__("cabi_realloc_adapter"))) void *cabi_realloc_adapter(void *old, size_t old_size, size_t align,
                                                                                    size_t size) {
  void *memory = aligned_alloc(align < 16 ? 16 : align, (size + 15) & ~(size_t)15);
  if (!memory) abort();
  if (old_size) memcpy(memory, old, old_size < size ? old_size : size);
  return memory;
}

/* The generated code asks for an object file with the type of one world by naming this. Here `espejote plugin componentize` adds
 * the type, of the world that plugin.toml asks for. */
extern void __component_type_object_force_link_wit(void);
void __component_type_object_force_link_wit(void) {}

/* Text that outlives the call, for the post-return function to free. */
static wit_string_t left(esp_text text) {
  wit_string_t sound = esp_text_to_host(text);
  uint8_t *copy = sound.len ? malloc(sound.len) : NULL;
  if (sound.len && !copy) abort();
  if (sound.len) memcpy(copy, sound.ptr, sound.len);
  return (wit_string_t){copy, sound.len};
}

static wit_string_t left_string(const char *string) { return left(esp_text_of(string ? string : "")); }

/* esp_kind is numbered as the contract is. */
static espejote_plugin_types_failure_t failure_left(esp_result result) {
  return (espejote_plugin_types_failure_t){(uint8_t)result->kind, left_string(result->message)};
}

static void end_call(void) {
  esp_close_collections();
  esp_end_call();
}

bool exports_espejote_plugin_reconcile_reconcile(exports_espejote_plugin_reconcile_failure_t *err) {
  esp_result result = esp_reconcile();
  if (result) *err = failure_left(result);
  end_call();
  return !result;
}

bool exports_espejote_plugin_provide_provide(exports_espejote_plugin_provide_json_t *ret,
                                             exports_espejote_plugin_provide_failure_t *err) {
  esp_text value = {NULL, 0};
  esp_result result = esp_run_provide(&value);
  if (result) *err = failure_left(result);
  else *ret = left(value);
  end_call();
  return !result;
}

static exports_espejote_plugin_admit_decision_t decision_left(const esp_decision *decision, esp_text patch, esp_text object) {
  exports_espejote_plugin_admit_decision_t to_host = {
      .allowed = decision->allowed,
      .code = {decision->code != 0, decision->code},
      .message = left_string(decision->message),
  };
  to_host.mutation.is_some = patch.ptr || object.ptr;
  if (patch.ptr) {
    to_host.mutation.val.tag = EXPORTS_ESPEJOTE_PLUGIN_ADMIT_MUTATION_PATCH;
    to_host.mutation.val.val.patch = left(patch);
  } else if (object.ptr) {
    to_host.mutation.val.tag = EXPORTS_ESPEJOTE_PLUGIN_ADMIT_MUTATION_OBJECT;
    to_host.mutation.val.val.object = left(object);
  }
  return to_host;
}

bool exports_espejote_plugin_admit_admit(exports_espejote_plugin_admit_json_t *request,
                                         exports_espejote_plugin_admit_decision_t *ret,
                                         exports_espejote_plugin_admit_failure_t *err) {
  esp_decision decision;
  esp_text patch, object;
  esp_result result = esp_run_admit(esp_text_from_host(*request), &decision, &patch, &object);
  if (result) *err = failure_left(result);
  else *ret = decision_left(&decision, patch, object);
  end_call();
  return !result;
}

bool exports_espejote_plugin_configuration_schema(wit_string_t *role, exports_espejote_plugin_configuration_json_t *ret) {
  const char *schema = esp_schema(esp_text_from_host(*role).ptr);
  if (schema) *ret = left_string(schema);
  esp_end_call();
  return schema != NULL;
}

void exports_espejote_plugin_configuration_validate(wit_string_t *role, exports_espejote_plugin_configuration_json_t *config,
                                                    exports_espejote_plugin_configuration_list_problem_t *ret) {
  esp_problems problems = esp_run_validate(esp_text_from_host(*role).ptr, esp_text_from_host(*config));
  exports_espejote_plugin_configuration_problem_t *list = problems.len ? malloc(problems.len * sizeof *list) : NULL;
  if (problems.len && !list) abort();
  for (size_t i = 0; i < problems.len; i++) {
    list[i] = (exports_espejote_plugin_configuration_problem_t){left_string(problems.at[i].path),
                                                                left_string(problems.at[i].message)};
  }
  *ret = (exports_espejote_plugin_configuration_list_problem_t){list, problems.len};
  esp_end_call();
}
