/* Values to text. */
#include <string.h>

#include "json_value.h"
#include "memory.h"

typedef struct writer {
  char *bytes;
  size_t len, room;
} writer;

static void put(writer *out, const char *bytes, size_t len) {
  if (len > out->room - out->len) {
    size_t room = 2 * (out->room + len);
    char *larger = esp_alloc_aligned(room, 1);
    memcpy(larger, out->bytes, out->len);
    out->bytes = larger;
    out->room = room;
  }
  memcpy(out->bytes + out->len, bytes, len);
  out->len += len;
}

static void put_byte(writer *out, char byte) { put(out, &byte, 1); }

static bool in(unsigned char byte, unsigned char low, unsigned char high) { return byte >= low && byte <= high; }

/* As RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
size_t esp_utf8(const char *bytes, size_t len) {
  const unsigned char *b = (const unsigned char *)bytes;
  if (!len) return 0;
  if (b[0] < 0x80) return 1;
  size_t size = in(b[0], 0xC2, 0xDF) ? 2 : in(b[0], 0xE0, 0xEF) ? 3 : in(b[0], 0xF0, 0xF4) ? 4 : 0;
  if (!size || size > len) return 0;
  unsigned char low = b[0] == 0xE0 ? 0xA0 : b[0] == 0xF0 ? 0x90 : 0x80;
  unsigned char high = b[0] == 0xED ? 0x9F : b[0] == 0xF4 ? 0x8F : 0xBF;
  if (!in(b[1], low, high)) return 0;
  for (size_t i = 2; i < size; i++) {
    if (!in(b[i], 0x80, 0xBF)) return 0;
  }
  return size;
}

static void put_escaped(writer *out, char byte) {
  static const char digits[] = "0123456789abcdef";
  static const char escapes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *found = byte ? strchr(escapes, byte) : NULL;
  if (found) {
    put(out, (char[]){'\\', letters[found - escapes]}, 2);
  } else {
    put(out, "\\u00", 4);
    put(out, (char[]){digits[byte >> 4 & 0xF], digits[byte & 0xF]}, 2);
  }
}

static void put_string(writer *out, esp_text text) {
  put_byte(out, '"');
  for (size_t i = 0; i < text.len;) {
    const char *at = text.ptr + i;
    size_t bytes = esp_utf8(at, text.len - i);
    if (!bytes) put(out, "\xEF\xBF\xBD", 3);
    else if (*at == '"' || *at == '\\' || (unsigned char)*at < 0x20) put_escaped(out, *at);
    else put(out, at, bytes);
    i += bytes ? bytes : 1;
  }
  put_byte(out, '"');
}

static bool put_value(writer *out, const esp_json *value, int depth);

static bool put_container(writer *out, const esp_json *value, int depth) {
  bool object = esp_is_object(value);
  if (depth == ESP_JSON_DEPTH) return false;
  put_byte(out, object ? '{' : '[');
  for (const esp_cell *cell = value->first; cell; cell = cell->next) {
    if (cell != value->first) put_byte(out, ',');
    if (object) {
      put_string(out, cell->key);
      put_byte(out, ':');
    }
    if (!put_value(out, cell->value, depth + 1)) return false;
  }
  put_byte(out, object ? '}' : ']');
  return true;
}

static bool put_value(writer *out, const esp_json *value, int depth) {
  switch (esp_type_of(value)) {
    case ESP_NULL: put(out, "null", 4); return true;
    case ESP_FALSE: put(out, "false", 5); return true;
    case ESP_TRUE: put(out, "true", 4); return true;
    case ESP_NUMBER: put(out, value->text.ptr, value->text.len); return true;
    case ESP_STRING: put_string(out, value->text); return true;
    case ESP_ARRAY:
    case ESP_OBJECT: break;
  }
  return put_container(out, value, depth);
}

esp_text esp_write(const esp_json *value) {
  writer out = {.bytes = esp_alloc_aligned(256, 1), .room = 256};
  if (!put_value(&out, value, 0)) return (esp_text){NULL, 0};
  put_byte(&out, '\0');
  return (esp_text){out.bytes, out.len - 1};
}
