#include "fake_selector.h"

#include <string.h>

#include "espejote_memory.h"

typedef struct words {
  const char *at;
  const char *wrong;
} words;

static void skip_spaces(words *in) { in->at += strspn(in->at, " \t"); }

/* A key or a value: up to what cannot be in one. */
static char *word(words *in) {
  skip_spaces(in);
  size_t len = strcspn(in->at, " \t=!,()");
  char *text = esp_format("%.*s", (int)len, in->at);
  in->at += len;
  skip_spaces(in);
  return text;
}

static bool take(words *in, const char *token) {
  skip_spaces(in);
  size_t len = strlen(token);
  if (strncmp(in->at, token, len)) return false;
  in->at += len;
  skip_spaces(in);
  return true;
}

static bool is(const char *label, const char *value) { return label && !strcmp(label, value); }

/* After in or notin: whether the label is one of those in parentheses. */
static bool one_of(words *in, const char *label) {
  bool found = false;
  if (!take(in, "(")) in->wrong = "expected ( after in or notin";
  while (!in->wrong) {
    found |= is(label, word(in));
    if (take(in, ")")) return found;
    if (!take(in, ",")) in->wrong = "expected , or ) between values";
  }
  return false;
}

/* in and notin are words, so what follows them is no part of another one. */
static bool take_word(words *in, const char *token) {
  size_t len = strlen(token);
  if (strncmp(in->at, token, len) || !strchr(" \t(", in->at[len]) || !in->at[len]) return false;
  return take(in, token);
}

static bool requirement(words *in, const esp_json *labels) {
  bool absent = take(in, "!");
  char *key = word(in);
  if (!*key) in->wrong = "expected a key";
  const char *label = esp_string(esp_get(labels, key));
  if (absent) return !label;
  if (take(in, "!=")) return !is(label, word(in));
  if (take(in, "==") || take(in, "=")) return is(label, word(in));
  if (take_word(in, "notin")) return !one_of(in, label);
  if (take_word(in, "in")) return one_of(in, label);
  return label;
}

bool fake_matches(const char *selector, const esp_json *labels, const char **wrong) {
  words in = {.at = selector};
  bool all = true;
  skip_spaces(&in);
  if (!*in.at) return true;
  do {
    all &= requirement(&in, labels);
  } while (!in.wrong && take(&in, ","));
  if (!in.wrong && *in.at) in.wrong = "expected a comma or the end";
  if (in.wrong) *wrong = in.wrong;
  return all && !in.wrong;
}
