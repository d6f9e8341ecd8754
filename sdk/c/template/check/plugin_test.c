#include <espejote_test.h>

static void namespaces_that_want_one_get_a_greeting(void) {
  fake_config("{'greeting': 'Good morning'}");
  fake_context("namespaces",
               "[{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'shop', 'labels': {'greet': 'yes'}}},"
               " {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'lab'}}]");
  CHECK(!fake_reconcile());
  CHECK(esp_count(fake_at("/items")) == 1);
  CHECK_STRING(esp_string(fake_at("/items/0/apply/metadata/namespace")), "shop");
  CHECK_STRING(esp_string(fake_at("/items/0/apply/data/text")), "Good morning, shop!");
}

static void without_namespaces_it_is_not_ready(void) {
  fake_context("namespaces", "[]");
  esp_result result = fake_reconcile();
  CHECK(result && result->kind == ESP_NOT_READY);
}

int main(void) {
  RUN(namespaces_that_want_one_get_a_greeting);
  RUN(without_namespaces_it_is_not_ready);
  return fake_failed();
}
