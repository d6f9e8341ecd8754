/* Values of JSON: made, asked and put together. */
#include "json_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

esp_text esp_text_of(const char *string) { return (esp_text){string, string ? strlen(string) : 0}; }

esp_text esp_copy(const char *bytes, size_t len) {
  char *copy = esp_alloc_aligned(len + 1, 1);
  if (len) memcpy(copy, bytes, len);
  copy[len] = '\0';
  return (esp_text){copy, len};
}

esp_json *esp_new(esp_type type) {
  esp_json *value = esp_alloc(sizeof *value);
  value->type = type;
  return value;
}

esp_json *esp_object(void) { return esp_new(ESP_OBJECT); }
esp_json *esp_array(void) { return esp_new(ESP_ARRAY); }
esp_json *esp_new_null(void) { return esp_new(ESP_NULL); }
esp_json *esp_new_bool(bool value) { return esp_new(value ? ESP_TRUE : ESP_FALSE); }

static esp_json *new_with_text(esp_type type, esp_text text) {
  esp_json *value = esp_new(type);
  value->text = text;
  return value;
}

esp_json *esp_new_int(int64_t number) {
  return new_with_text(ESP_NUMBER, esp_text_of(esp_format("%" PRId64, number)));
}

esp_json *esp_new_number(const char *text) {
  const char *error;
  esp_json *value = text ? esp_parse(esp_text_of(text), &error) : NULL;
  return value && value->type == ESP_NUMBER ? value : NULL;
}

esp_json *esp_new_text(esp_text text) { return new_with_text(ESP_STRING, esp_copy(text.ptr, text.len)); }

esp_json *esp_new_string(const char *string) {
  return string ? esp_new_text(esp_text_of(string)) : esp_new_null();
}

void esp_append(esp_json *container, esp_text key, const esp_json *value) {
  esp_cell *cell = esp_alloc(sizeof *cell);
  *cell = (esp_cell){.key = key, .value = value ? value : esp_new_null()};
  if (container->last) container->last->next = cell;
  else container->first = cell;
  container->last = cell;
  container->count++;
}

static bool same(esp_text a, esp_text b) { return a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len)); }

static void remove_key(esp_json *object, esp_text key) {
  esp_cell *before = NULL, *next;
  for (esp_cell *cell = object->first; cell; cell = next) {
    next = cell->next;
    if (!same(cell->key, key)) {
      before = cell;
      continue;
    }
    if (before) before->next = next;
    else object->first = next;
    if (!next) object->last = before;
    object->count--;
  }
}

void esp_set(esp_json *object, const char *key, const esp_json *value) {
  if (!esp_is_object(object) || !key) return;
  esp_text text = esp_text_of(key);
  if (!value) {
    remove_key(object, text);
    return;
  }
  bool found = false;
  for (esp_cell *cell = object->first; cell; cell = cell->next) {
    if (!same(cell->key, text)) continue;
    cell->value = value;
    found = true;
  }
  if (!found) esp_append(object, esp_copy(text.ptr, text.len), value);
}

void esp_push(esp_json *array, const esp_json *value) {
  if (esp_is_array(array)) esp_append(array, (esp_text){NULL, 0}, value);
}

esp_type esp_type_of(const esp_json *value) { return value ? value->type : ESP_NULL; }
bool esp_is_object(const esp_json *value) { return esp_type_of(value) == ESP_OBJECT; }
bool esp_is_array(const esp_json *value) { return esp_type_of(value) == ESP_ARRAY; }

const char *esp_string(const esp_json *value) {
  return esp_type_of(value) == ESP_STRING ? value->text.ptr : NULL;
}

const char *esp_string_or(const esp_json *value, const char *other) {
  const char *string = esp_string(value);
  return string ? string : other;
}

esp_text esp_text_in(const esp_json *value) {
  esp_type type = esp_type_of(value);
  return type == ESP_STRING || type == ESP_NUMBER ? value->text : (esp_text){NULL, 0};
}

bool esp_int64(const esp_json *value, int64_t *into) {
  if (esp_type_of(value) != ESP_NUMBER) return false;
  const char *digit = value->text.ptr, *end = digit + value->text.len;
  bool negative = *digit == '-';
  int64_t number = 0;
  for (digit += negative; digit < end; digit++) {
    if (*digit < '0' || *digit > '9') return false;
    int64_t step = *digit - '0';
    if (__builtin_mul_overflow(number, 10, &number)) return false;
    if (__builtin_sub_overflow(number, step, &number)) return false;
  }
  if (!negative && __builtin_sub_overflow((int64_t)0, number, &number)) return false;
  *into = number;
  return true;
}

bool esp_bool(const esp_json *value, bool *into) {
  esp_type type = esp_type_of(value);
  if (type != ESP_TRUE && type != ESP_FALSE) return false;
  *into = type == ESP_TRUE;
  return true;
}

size_t esp_count(const esp_json *value) { return value ? value->count : 0; }

static const esp_json *member(const esp_json *object, esp_text key) {
  const esp_json *found = NULL;
  if (!esp_is_object(object)) return NULL;
  for (const esp_cell *cell = object->first; cell; cell = cell->next) {
    if (same(cell->key, key)) found = cell->value;
  }
  return found;
}

const esp_json *esp_get(const esp_json *object, const char *key) {
  return key ? member(object, esp_text_of(key)) : NULL;
}

/* An item by the digits of its index, as a JSON pointer has it: no sign, no leading zero. */
static const esp_json *item(const esp_json *array, esp_text index) {
  size_t at = 0;
  if (!index.len || index.len > 9 || (index.len > 1 && index.ptr[0] == '0')) return NULL;
  for (size_t i = 0; i < index.len; i++) {
    if (index.ptr[i] < '0' || index.ptr[i] > '9') return NULL;
    at = at * 10 + (size_t)(index.ptr[i] - '0');
  }
  const esp_cell *cell = array->first;
  for (; cell && at; at--) cell = cell->next;
  return cell ? cell->value : NULL;
}

/* A token of a JSON pointer, with ~1 and ~0 as what they stand for. NULL ptr if there is another ~. */
static esp_text unescaped(esp_text token) {
  char *text = esp_alloc(token.len + 1);
  size_t len = 0;
  for (size_t i = 0; i < token.len; i++) {
    char byte = token.ptr[i];
    if (byte == '~') {
      char code = ++i < token.len ? token.ptr[i] : '?';
      if (code != '0' && code != '1') return (esp_text){NULL, 0};
      byte = code == '1' ? '/' : '~';
    }
    text[len++] = byte;
  }
  return (esp_text){text, len};
}

const esp_json *esp_at(const esp_json *value, const char *pointer) {
  while (value && pointer && *pointer) {
    if (*pointer++ != '/') return NULL;
    size_t len = strcspn(pointer, "/");
    esp_text token = unescaped((esp_text){pointer, len});
    if (!token.ptr) return NULL;
    value = esp_is_array(value) ? item(value, token) : member(value, token);
    pointer += len;
  }
  return pointer ? value : NULL;
}

const esp_cell *esp_first(const esp_json *value) { return value ? value->first : NULL; }
const esp_cell *esp_next(const esp_cell *cell) { return cell->next; }
const char *esp_key(const esp_cell *cell) { return cell->key.ptr; }
const esp_json *esp_value(const esp_cell *cell) { return cell->value; }
