/* Text to values, as RFC 8259 has it and no laxer; and patterns, which are laxer in the two ways that esp_build names. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json_value.h"
#include "memory.h"

typedef struct reader {
  const char *start, *at, *end;
  int depth;
  const char *wrong; /* what was expected, at the first mistake */
  /* Of a pattern; NULL for a document. */
  va_list *arguments;
} reader;

static esp_json *read_value(reader *in);

static void *fail(reader *in, const char *expected) {
  if (!in->wrong) in->wrong = expected;
  return NULL;
}

static char peek(const reader *in) { return in->at < in->end ? *in->at : '\0'; }

static void skip_spaces(reader *in) {
  while (in->at < in->end && (*in->at == ' ' || *in->at == '\n' || *in->at == '\t' || *in->at == '\r')) in->at++;
}

static bool take(reader *in, char byte) {
  if (in->at >= in->end || *in->at != byte) return false;
  in->at++;
  return true;
}

static esp_json *read_word(reader *in, const char *word, esp_type type) {
  size_t len = strlen(word);
  if ((size_t)(in->end - in->at) < len || memcmp(in->at, word, len)) return fail(in, "expected a value");
  in->at += len;
  return esp_new(type);
}

static bool take_digits(reader *in) {
  const char *start = in->at;
  while (peek(in) >= '0' && peek(in) <= '9') in->at++;
  return in->at > start;
}

static esp_json *read_number(reader *in) {
  const char *start = in->at;
  take(in, '-');
  if (!take(in, '0') && !take_digits(in)) return fail(in, "expected a digit");
  if (take(in, '.') && !take_digits(in)) return fail(in, "expected a digit after the point");
  if (peek(in) == 'e' || peek(in) == 'E') {
    in->at++;
    if (!take(in, '+')) take(in, '-');
    if (!take_digits(in)) return fail(in, "expected a digit in the exponent");
  }
  esp_json *number = esp_new(ESP_NUMBER);
  number->text = esp_copy(start, (size_t)(in->at - start));
  return number;
}

/* Four hexadecimal digits; -1 if there are none. */
static int read_hex(reader *in) {
  int code = 0;
  if (in->end - in->at < 4) return -1;
  for (int i = 0; i < 4; i++) {
    char c = *in->at++;
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

static char *write_utf8(char *to, unsigned long code) {
  if (code < 0x80) {
    *to++ = (char)code;
  } else if (code < 0x800) {
    *to++ = (char)(0xC0 | code >> 6);
    *to++ = (char)(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *to++ = (char)(0xE0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 0x3F));
    *to++ = (char)(0x80 | (code & 0x3F));
  } else {
    *to++ = (char)(0xF0 | code >> 18);
    *to++ = (char)(0x80 | (code >> 12 & 0x3F));
    *to++ = (char)(0x80 | (code >> 6 & 0x3F));
    *to++ = (char)(0x80 | (code & 0x3F));
  }
  return to;
}

/* After \u: one code unit, or two that belong together. A lone surrogate is no character. NULL if it is none. */
static char *read_unicode(reader *in, char *to) {
  int first = read_hex(in);
  if (first < 0) return fail(in, "expected four hexadecimal digits after \\u");
  if (first < 0xD800 || first > 0xDFFF) return write_utf8(to, (unsigned long)first);
  bool pair = first < 0xDC00 && take(in, '\\') && take(in, 'u');
  int second = pair ? read_hex(in) : -1;
  if (second < 0xDC00 || second > 0xDFFF) return fail(in, "expected the other half of a surrogate pair");
  return write_utf8(to, 0x10000UL + ((unsigned long)(first - 0xD800) << 10) + (unsigned long)(second - 0xDC00));
}

static char *read_escape(reader *in, char *to) {
  static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  char code = peek(in);
  if (in->at < in->end) in->at++;
  if (code == 'u') return read_unicode(in, to);
  const char *found = code ? strchr(escapes, code) : NULL;
  if (!found) return fail(in, "expected an escape that JSON knows");
  *to++ = meant[found - escapes];
  return to;
}

/* Where the string ends, as seen from after its first quote; escapes are stepped over. */
static const char *end_of_string(const reader *in, char quote) {
  const char *at = in->at;
  while (at < in->end && *at != quote) at += *at == '\\' ? 2 : 1;
  return at < in->end ? at : NULL;
}

/* The unescaped text is never longer than the escaped one. */
static esp_text read_string(reader *in, char quote) {
  const char *end = end_of_string(in, quote);
  const esp_text none = {NULL, 0};
  if (!end) return fail(in, "expected the end of the string"), none;
  char *text = esp_alloc_aligned((size_t)(end - in->at) + 1, 1), *to = text;
  while (in->at < end) {
    size_t bytes = esp_utf8(in->at, (size_t)(end - in->at));
    if (!bytes) return fail(in, "expected UTF-8"), none;
    if ((unsigned char)*in->at < 0x20) return fail(in, "expected a control character to be escaped"), none;
    if (*in->at != '\\') {
      memcpy(to, in->at, bytes);
      to += bytes;
      in->at += bytes;
      continue;
    }
    in->at++;
    to = read_escape(in, to);
    if (!to) return none;
  }
  in->at = end + 1;
  *to = '\0';
  return (esp_text){text, (size_t)(to - text)};
}

/* The argument that stands for a value in a pattern. */
static esp_json *read_argument(reader *in) {
  char code = peek(in);
  if (in->at < in->end) in->at++;
  switch (code) {
    case 's': return esp_new_string(va_arg(*in->arguments, const char *));
    case 'd': return esp_new_int(va_arg(*in->arguments, int));
    case 'b': return esp_new_bool(va_arg(*in->arguments, int));
    case 'j': {
      /* Values do not change once they are in another one, so const can go. */
      const esp_json *value = va_arg(*in->arguments, const esp_json *);
      return value ? (esp_json *)value : esp_new_null();
    }
    default: return fail(in, "expected s, d, b or j after %");
  }
}

static esp_text read_key(reader *in) {
  if (take(in, '"')) return read_string(in, '"');
  if (in->arguments && take(in, '\'')) return read_string(in, '\'');
  if (in->arguments && take(in, '%')) {
    esp_json *key = read_argument(in);
    if (esp_string(key)) return key->text;
  }
  fail(in, "expected a key in quotes");
  return (esp_text){NULL, 0};
}

static bool read_member(reader *in, esp_json *object) {
  skip_spaces(in);
  esp_text key = read_key(in);
  if (!key.ptr) return false;
  skip_spaces(in);
  if (!take(in, ':')) return fail(in, "expected a colon after the key"), false;
  esp_json *value = read_value(in);
  if (value) esp_append(object, key, value);
  return value;
}

static bool read_item(reader *in, esp_json *array) {
  esp_json *value = read_value(in);
  if (value) esp_append(array, (esp_text){NULL, 0}, value);
  return value;
}

static esp_json *read_container(reader *in, esp_type type) {
  bool object = type == ESP_OBJECT;
  char end = object ? '}' : ']';
  esp_json *container = esp_new(type);
  skip_spaces(in);
  if (take(in, end)) return container;
  do {
    if (!(object ? read_member(in, container) : read_item(in, container))) return NULL;
    skip_spaces(in);
  } while (take(in, ','));
  if (!take(in, end)) return fail(in, object ? "expected a comma or }" : "expected a comma or ]");
  return container;
}

static esp_json *read_nested(reader *in, esp_type type) {
  if (in->depth == ESP_JSON_DEPTH) return fail(in, "expected no more than 128 arrays and objects in each other");
  in->at++;
  in->depth++;
  esp_json *container = read_container(in, type);
  in->depth--;
  return container;
}

static esp_json *read_quoted(reader *in, char quote) {
  in->at++;
  esp_text text = read_string(in, quote);
  if (!text.ptr) return NULL;
  esp_json *string = esp_new(ESP_STRING);
  string->text = text;
  return string;
}

static esp_json *read_value(reader *in) {
  skip_spaces(in);
  char first = peek(in);
  if (in->arguments && first == '\'') return read_quoted(in, '\'');
  if (in->arguments && take(in, '%')) return read_argument(in);
  switch (first) {
    case '{': return read_nested(in, ESP_OBJECT);
    case '[': return read_nested(in, ESP_ARRAY);
    case '"': return read_quoted(in, '"');
    case 't': return read_word(in, "true", ESP_TRUE);
    case 'f': return read_word(in, "false", ESP_FALSE);
    case 'n': return read_word(in, "null", ESP_NULL);
    default: break;
  }
  if (first == '-' || (first >= '0' && first <= '9')) return read_number(in);
  return fail(in, "expected a value");
}

static esp_json *read_document(reader *in) {
  esp_json *value = read_value(in);
  skip_spaces(in);
  if (value && in->at < in->end) return fail(in, "expected nothing after the document");
  return value;
}

esp_json *esp_parse(esp_text text, const char **error) {
  const char *start = text.ptr ? text.ptr : "";
  reader in = {.start = start, .at = start, .end = start + text.len};
  esp_json *value = read_document(&in);
  if (error) *error = value ? NULL : esp_format("byte %td: %s", in.at - in.start, in.wrong);
  return value;
}

esp_json *esp_build(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  reader in = {.start = pattern, .at = pattern, .end = pattern + strlen(pattern), .arguments = &arguments};
  esp_json *value = read_document(&in);
  va_end(arguments);
  if (!value) esp_abort(esp_format("esp_build: byte %td: %s: %s", in.at - in.start, in.wrong, pattern));
  return value;
}
