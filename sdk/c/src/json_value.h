/* What reader, writer and values share. */
#ifndef ESPEJOTE_SRC_JSON_VALUE_H
#define ESPEJOTE_SRC_JSON_VALUE_H

#include "espejote_json.h"

struct esp_cell {
  esp_text key; /* NULL ptr for an item */
  const esp_json *value;
  struct esp_cell *next;
};

struct esp_json {
  esp_type type;
  esp_text text; /* of a string, unescaped; of a number, as written */
  esp_cell *first, *last;
  size_t count;
};

esp_json *esp_new(esp_type type);

/* Adds a member or item at the end, without looking for an equal key. */
void esp_append(esp_json *container, esp_text key, const esp_json *value);

/* A copy with a NUL byte after it. */
esp_text esp_copy(const char *bytes, size_t len);

/* How many bytes the UTF-8 character at the start has; 0 if there is none that is well-formed. */
size_t esp_utf8(const char *bytes, size_t len);

#endif
