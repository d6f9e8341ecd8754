/* Runs tests, and says which of them fail. */
#include <stdio.h>
#include <string.h>

#include "espejote_test.h"
#include "fake_host.h"

static const char *running;
static bool test_failed, any_failed;

void fake_run(const char *name, void (*test)(void)) {
  fake_forget();
  fake_start();
  running = name;
  test_failed = false;
  test();
  printf("--- %s: %s\n", test_failed ? "FAIL" : "PASS", name);
  any_failed |= test_failed;
}

void fake_check(bool holds, const char *condition, const char *file, int line) {
  if (holds) return;
  test_failed = true;
  printf("%s:%d: %s: does not hold: %s\n", file, line, running, condition);
}

void fake_check_string(const char *actual, const char *expected, const char *file, int line) {
  if (actual && expected && !strcmp(actual, expected)) return;
  if (!actual && !expected) return;
  test_failed = true;
  printf("%s:%d: %s: expected \"%s\", is \"%s\"\n", file, line, running, expected ? expected : "(none)",
         actual ? actual : "(none)");
}

int fake_failed(void) { return any_failed; }
