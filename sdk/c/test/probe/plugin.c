/* A plugin that tries what only the real engine shows: sdk/c/check runs each of its cases. It has all four roles. */
#include <espejote.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads objects and gives them back, numbers and all. */
static esp_result exact(void) {
  esp_collection *objects;
  esp_values values;
  ESP_TRY(esp_open("objects", &objects));
  ESP_TRY(esp_read(objects, esp_all(objects), &values));
  for (size_t i = 0; i < values.len; i++) esp_apply(values.at[i], NULL);
  return ESP_OK;
}

static size_t size_of(esp_texts texts) {
  size_t size = 0;
  for (size_t i = 0; i < texts.len; i++) size += texts.at[i].len;
  return size;
}

/* Reads everything by each way there is. By pages, it is many times the memory. */
static esp_result large(void) {
  esp_collection *objects;
  esp_values values;
  size_t read, scanned = 0, found = 0;
  ESP_TRY(esp_open("objects", &objects));
  for (int times = 0; times < 20; times++) {
    scanned = 0;
    for (uint32_t at = 0; at < esp_len(objects);) {
      esp_mark mark = esp_mark_memory();
      esp_texts page = esp_scan_texts(objects, at, 256 * 1024);
      scanned += size_of(page);
      at += (uint32_t)page.len;
      esp_release(mark);
    }
  }
  esp_mark mark = esp_mark_memory();
  read = size_of(esp_read_texts(objects, esp_all(objects)));
  esp_release(mark);
  ESP_TRY(esp_values_at(objects, esp_all(objects), "/data/text", &values));
  for (size_t i = 0; i < values.len; i++) found += esp_text_in(values.at[i]).len;
  esp_document(esp_build("{'objects': %d, 'read': %b, 'scanned the same': %b, 'values': %b}", (int)esp_len(objects),
                         read > 5000000, scanned == read, found > 4000000));
  return ESP_OK;
}

/* Survives the calls of an instance that is kept, as the memory of a call does not. */
static int kept;

static esp_result count_calls(void) {
  esp_keep_instance();
  kept++;
  char *memory = esp_alloc(1 << 20);
  memset(memory, kept, 1 << 20);
  esp_document(esp_build("{'kept': %b}", kept >= 1));
  return ESP_OK;
}

static esp_result no_utf8(void) {
  esp_message("no UTF-8: %s", "\xFF");
  return esp_fail(ESP_NOT_READY, "neither: \xFF");
}

static esp_result trap(void) {
  fprintf(stderr, "why it traps\n");
  abort();
}

/* Not optimised away: each level has an array that is looked at. */
__attribute__((noinline)) static int deep(volatile char *above, int level) {
  volatile char here[256];
  here[level % 256] = above[0];
  return level < 0 ? 0 : deep(here, level + 1) + here[0];
}

static esp_result overflow(void) {
  volatile char top[1] = {0};
  return esp_fail(ESP_INTERNAL, "%d", deep(top, 0));
}

esp_result esp_reconcile(void) {
  static const struct {
    const char *name;
    esp_result (*run)(void);
  } cases[] = {{"exact", exact}, {"large", large}, {"kept", count_calls}, {"bytes", no_utf8}, {"trap", trap}, {"overflow", overflow}};
  const char *wanted = esp_string_or(esp_get(esp_config(), "case"), "");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (!strcmp(cases[i].name, wanted)) return cases[i].run();
  }
  return esp_fail(ESP_INVALID_CONFIG, "there is no case \"%s\"", wanted);
}

esp_result esp_admit(const esp_json *request, esp_decision *decision) {
  decision->code = 201;
  decision->message = "fine";
  decision->object = esp_get(request, "object");
  return decision->object ? ESP_OK : esp_fail(ESP_INVALID_INPUT, "there is no object");
}

esp_result esp_provide(const esp_json **value) {
  *value = esp_build("{'n': 3.0}");
  return ESP_OK;
}

const char *esp_schema(const char *role) { return strcmp(role, "reconcile") ? NULL : "{\"type\": \"object\"}"; }

void esp_validate(const char *role, const esp_json *config) {
  if (strstr(esp_write(config).ptr, "forbidden")) esp_problem("/case", "role %s has no such case", role);
}
