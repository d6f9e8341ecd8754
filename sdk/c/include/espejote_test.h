/* Calls the roles of a plugin on the machine at hand, without WebAssembly and without a cluster. For test programs: compile them
 * with the plugin, the library (but for src/component_*.c) and test/fake_*.c; the template's Makefile does.
 *
 *   static void every_namespace_gets_its_team(void) {
 *     fake_context("namespaces", "[{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'shop'}}]");
 *     CHECK(!fake_reconcile());
 *     CHECK_STRING(esp_string(fake_at("/items/0/apply/metadata/namespace")), "shop");
 *   }
 *
 *   int main(void) {
 *     RUN(every_namespace_gets_its_team);
 *     return fake_failed();
 *   }
 *
 * The host here is one in memory. It knows selectors and pointers as the real one does, but no limits on memory or time, and
 * it does not check what is emitted: espejote plugin test runs the component on the real engine.
 *
 * Where JSON is asked for, strings may stand in single quotes. Memory lasts until the next RUN. */
#ifndef ESPEJOTE_TEST_H
#define ESPEJOTE_TEST_H

#include "espejote.h"

/* ---- What the call finds. Nothing is there until it is said. ---- */

/* Of the manifest; by default the ManagedResource default/plugin. */
void fake_owner(esp_id id, const char *uid);
void fake_config(const char *json);
/* An array of the objects of one context, in any order. */
void fake_context(const char *name, const char *json);
/* A context, provided value or library that cannot be had; reason is one of unknown-name, not-synced, forbidden, failed. */
void fake_unavailable(const char *name, const char *reason, const char *message);
void fake_provided(const char *name, const char *json);
void fake_file(const char *path, const char *content);
/* The name of what started the call. */
void fake_trigger(const char *name);
/* The object that did; from it comes the event. Gone: only the event. */
void fake_event(const char *json);
void fake_event_gone(esp_id id);

/* ---- The call. What it emitted and reported starts anew with each. ---- */

esp_result fake_reconcile(void);
/* The value is NULL if there is a failure. */
esp_result fake_provide(const esp_json **value);
esp_result fake_admit(const char *request, esp_decision *decision);
/* An array of {path, message}. */
const esp_json *fake_validate(const char *role, const char *config);

/* ---- What came of it, as JSON:
 *
 *   items         [{apply, options} | {delete, options} | {group: {policy, items}}]; options as the contract names them in camelCase
 *   requeueAfter  milliseconds
 *   message, waiting {reason, message}, conditions {type: {status, reason, message}}, document, keepInstance
 *   log           [{level, message, fields}]
 *   warnings, annotations */
const esp_json *fake_result(void);
/* A part of it, by JSON pointer; NULL if there is none. */
const esp_json *fake_at(const char *pointer);

/* ---- Tests ---- */

#define RUN(test) fake_run(#test, test)
#define CHECK(condition) fake_check((condition), #condition, __FILE__, __LINE__)
#define CHECK_STRING(actual, expected) fake_check_string((actual), (expected), __FILE__, __LINE__)

void fake_run(const char *name, void (*test)(void));
void fake_check(bool holds, const char *condition, const char *file, int line);
void fake_check_string(const char *actual, const char *expected, const char *file, int line);
/* For main to return: whether a test has failed. */
int fake_failed(void);

#endif
