/* Label selectors as kubectl -l takes them. */
#ifndef ESPEJOTE_TEST_FAKE_SELECTOR_H
#define ESPEJOTE_TEST_FAKE_SELECTOR_H

#include "espejote_json.h"

/* Whether the labels match. *wrong is set if the selector is none. */
bool fake_matches(const char *selector, const esp_json *labels, const char **wrong);

#endif
