/* Between what the host calls and what the plugin defines. A role that the plugin does not define has a stand-in here, so that
 * one library serves every combination of roles. */
#include <stdarg.h>
#include <stdlib.h>

#include "espejote.h"
#include "host.h"
#include "memory.h"

__attribute__((weak)) esp_result esp_reconcile(void) {
  return esp_fail(ESP_INTERNAL, "this component exports reconcile, and the plugin does not define esp_reconcile");
}

__attribute__((weak)) esp_result esp_provide(const esp_json **value) {
  (void)value;
  return esp_fail(ESP_INTERNAL, "this component exports provide, and the plugin does not define esp_provide");
}

__attribute__((weak)) esp_result esp_admit(const esp_json *request, esp_decision *decision) {
  (void)request, (void)decision;
  return esp_fail(ESP_INTERNAL, "this component exports admit, and the plugin does not define esp_admit");
}

__attribute__((weak)) const char *esp_schema(const char *role) {
  (void)role;
  return NULL;
}

__attribute__((weak)) void esp_validate(const char *role, const esp_json *config) { (void)role, (void)config; }

static esp_result written(const char *what, const esp_json *value, esp_text *text) {
  if (!value) return ESP_OK;
  *text = esp_write(value);
  return text->ptr ? ESP_OK : esp_fail(ESP_INVALID_OUTPUT, "%s: deeper than %d", what, ESP_JSON_DEPTH);
}

esp_result esp_run_provide(esp_text *value) {
  const esp_json *provided = NULL;
  ESP_TRY(esp_provide(&provided));
  return written("provided value", provided ? provided : esp_new_null(), value);
}

esp_result esp_run_admit(esp_text request, esp_decision *decision, esp_text *patch, esp_text *object) {
  const char *error;
  const esp_json *parsed = esp_parse(request, &error);
  if (!parsed) return esp_fail(ESP_INVALID_INPUT, "admission request: %s", error);
  *decision = (esp_decision){.allowed = true};
  *patch = *object = (esp_text){NULL, 0};
  ESP_TRY(esp_admit(parsed, decision));
  if (decision->patch && decision->object) {
    return esp_fail(ESP_INVALID_OUTPUT, "decision: it has a patch and an object, expected one of them");
  }
  ESP_TRY(written("patch", decision->patch, patch));
  return written("object", decision->object, object);
}

/* What esp_problem has collected in this call. */
static struct {
  esp_problem_entry *at;
  size_t len, room;
} problems;

void esp_problem(const char *path, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *message = esp_format_list(format, arguments);
  va_end(arguments);
  if (problems.len == problems.room) {
    esp_problem_entry *before = problems.at;
    problems.room = problems.room ? 2 * problems.room : 8;
    problems.at = esp_alloc(problems.room * sizeof *problems.at);
    for (size_t i = 0; i < problems.len; i++) problems.at[i] = before[i];
  }
  problems.at[problems.len++] = (esp_problem_entry){path ? path : "", message};
}

esp_problems esp_run_validate(const char *role, esp_text config) {
  const char *error;
  problems.at = NULL;
  problems.len = problems.room = 0;
  const esp_json *parsed = esp_parse(config, &error);
  if (parsed) esp_validate(role, parsed);
  else esp_problem("", "%s", error);
  return (esp_problems){problems.at, problems.len};
}
