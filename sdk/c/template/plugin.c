/* The plugin {{name}}: each namespace with the label greet=yes gets a ConfigMap with a greeting. */
#include <espejote.h>

esp_result esp_reconcile(void) {
  const char *greeting = esp_string_or(esp_get(esp_config(), "greeting"), "Hello");
  esp_collection *namespaces;
  esp_indices greeted;
  ESP_TRY(esp_open("namespaces", &namespaces));
  /* The host's index of labels answers; no object is read. */
  ESP_TRY(esp_select(namespaces, NULL, "greet=yes", &greeted));
  if (!greeted.len) {
    esp_requeue_after(60 * 1000);
    return esp_fail(ESP_NOT_READY, "no namespace has the label greet=yes");
  }
  esp_ids ids = esp_ids_at(namespaces, greeted);
  for (size_t i = 0; i < ids.len; i++) {
    const char *name = ids.at[i].name;
    esp_log(ESP_DEBUG, "greeting", {"namespace", name});
    esp_apply(esp_build("{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'greeting', 'namespace': %s},"
                        " 'data': {'text': %s}}",
                        name, esp_format("%s, %s!", greeting, name)),
              &(esp_apply_options){.force = ESP_YES});
  }
  return ESP_OK;
}
