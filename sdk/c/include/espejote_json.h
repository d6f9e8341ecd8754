/* JSON for plugins: a strict reader, a writer, and what lies between them.
 *
 * Numbers stay text: 9007199254740993 and 3.0 leave as they came. Strings are UTF-8, unescaped, and followed by a NUL byte that
 * does not count; one that holds \u0000 has it inside. Values do not change once they are made, except that members and
 * items can be added; one value may stand in several places. All memory is that of the call: nothing is freed.
 *
 * Every function here takes NULL for "there is no such value", and answers as for a value of another type. So
 * esp_string(esp_at(object, "/metadata/name")) is NULL unless there is a name and it is a string. */
#ifndef ESPEJOTE_JSON_H
#define ESPEJOTE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* UTF-8, len bytes of it; a NUL byte follows where this library made it. */
typedef struct esp_text {
  const char *ptr;
  size_t len;
} esp_text;

/* The text of a C string. */
esp_text esp_text_of(const char *string);

typedef enum esp_type { ESP_NULL, ESP_FALSE, ESP_TRUE, ESP_NUMBER, ESP_STRING, ESP_ARRAY, ESP_OBJECT } esp_type;

typedef struct esp_json esp_json;

/* How deep arrays and objects may lie in each other. */
#define ESP_JSON_DEPTH 128

/* Reads exactly one document. NULL if it is none; then *error says where and what was expected. Of equal keys in an object
 * the last one counts. */
esp_json *esp_parse(esp_text text, const char **error);

/* The document, without spaces. NULL ptr if it lies in itself or deeper than ESP_JSON_DEPTH. Bytes that are no UTF-8 become U+FFFD. */
esp_text esp_write(const esp_json *value);

/* The type; ESP_NULL for NULL. */
esp_type esp_type_of(const esp_json *value);
bool esp_is_object(const esp_json *value);
bool esp_is_array(const esp_json *value);

/* The string, or NULL. */
const char *esp_string(const esp_json *value);
/* The string, or the other one. */
const char *esp_string_or(const esp_json *value, const char *other);
/* The string with its length, or the number as it is written; NULL ptr for anything else. */
esp_text esp_text_in(const esp_json *value);
/* Whether it is an integer that fits; fractions and exponents do not. */
bool esp_int64(const esp_json *value, int64_t *into);
/* Whether it is true or false. */
bool esp_bool(const esp_json *value, bool *into);

/* How many members or items there are; 0 for anything else. */
size_t esp_count(const esp_json *value);
/* A member of an object, or NULL. */
const esp_json *esp_get(const esp_json *object, const char *key);
/* What a JSON pointer (RFC 6901) leads to, or NULL. */
const esp_json *esp_at(const esp_json *value, const char *pointer);

/* Goes through members or items in order:
 *
 *   for (const esp_cell *cell = esp_first(value); cell; cell = esp_next(cell)) use(esp_key(cell), esp_value(cell)); */
typedef struct esp_cell esp_cell;
const esp_cell *esp_first(const esp_json *value);
const esp_cell *esp_next(const esp_cell *cell);
/* The key of a member; NULL for an item. */
const char *esp_key(const esp_cell *cell);
const esp_json *esp_value(const esp_cell *cell);

/* Make values. */
esp_json *esp_object(void);
esp_json *esp_array(void);
esp_json *esp_new_null(void);
esp_json *esp_new_bool(bool value);
esp_json *esp_new_int(int64_t value);
/* A number as it shall be written; NULL if that is none. */
esp_json *esp_new_number(const char *text);
/* The string is copied. NULL becomes null. */
esp_json *esp_new_string(const char *string);
esp_json *esp_new_text(esp_text text);

/* Sets a member, in the place of an equal key. The key is copied. NULL removes the member. Does nothing if it is no object. */
void esp_set(esp_json *object, const char *key, const esp_json *value);
/* Adds an item; NULL becomes null. Does nothing if it is no array. */
void esp_push(esp_json *array, const esp_json *value);

/* A document from a pattern, in which strings may stand in single quotes (and then hold no quotes), and in place of a value,
 * a key or an item
 *   %s  const char *, a string; NULL becomes null
 *   %d  int, a number               %b  int, true or false
 *   %j  const esp_json *, any value; NULL becomes null
 *
 *   esp_build("{'kind': 'ConfigMap', 'metadata': {'name': %s, 'labels': {%s: 'yes'}}}", name, label);
 *
 * A pattern that is no JSON is a mistake in the program: it ends the call with a message that shows it. */
esp_json *esp_build(const char *pattern, ...);

#endif
