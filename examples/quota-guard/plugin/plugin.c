/* Gives each namespace with the label example.com/size the ResourceQuota and the LimitRange of that size.
 *
 * What a size is stands in a ConfigMap, one key for each, as JSON:
 *
 *   small: {"quota": {"pods": "20", "requests.cpu": "4"}, "default": {"cpu": "500m", "memory": "512Mi"}}
 *
 * Namespaces are found by the host's index of labels, and one label of each is read; no object is copied. Start reading in
 * esp_reconcile. */
#include <espejote.h>
#include <string.h>

#define SIZE_LABEL "example.com/size"
#define SIZE_POINTER "/metadata/labels/example.com~1size"
#define MANAGED_LABEL "example.com/managed-by"
#define PLUGIN "quota-guard"
/* The name of both objects in each namespace. */
#define NAME "size"
#define RETRY_MILLISECONDS (60 * 1000)

/* Namespaces whose size is not in the ConfigMap, for people. */
typedef struct unknown_sizes {
  size_t count;
  const char *names;
} unknown_sizes;

/* The data of the ConfigMap with the sizes. It may come later than the namespaces, so it is waited for. */
static esp_result read_sizes(const esp_json **sizes) {
  const char *name = esp_string(esp_get(esp_config(), "sizes"));
  esp_collection *config_maps;
  esp_values data;
  uint32_t index;
  if (!name) return esp_fail(ESP_INVALID_CONFIG, "config: expected the name of a ConfigMap in \"sizes\"");
  ESP_TRY(esp_open("sizes", &config_maps));
  if (!esp_find(config_maps, esp_get_owner().id.namespace, name, &index)) {
    esp_requeue_after(RETRY_MILLISECONDS);
    return esp_fail(ESP_NOT_READY, "ConfigMap %s/%s with the sizes does not exist", esp_get_owner().id.namespace, name);
  }
  ESP_TRY(esp_values_at(config_maps, (esp_indices){&index, 1}, "/data", &data));
  *sizes = data.at[0];
  return ESP_OK;
}

/* One size, parsed; NULL if there is none of this name. */
static esp_result find_size(const esp_json *sizes, const char *name, const esp_json **size) {
  const esp_json *text = esp_get(sizes, name);
  const char *error;
  *size = NULL;
  if (!text) return ESP_OK;
  *size = esp_parse(esp_text_in(text), &error);
  if (!*size) return esp_fail(ESP_INVALID_INPUT, "size %s: %s", name, error);
  if (!esp_is_object(esp_get(*size, "quota"))) {
    return esp_fail(ESP_INVALID_INPUT, "size %s: expected an object in \"quota\"", name);
  }
  return ESP_OK;
}

static esp_json *managed(const char *api_version, const char *kind, const char *namespace, const esp_json *spec) {
  return esp_build("{'apiVersion': %s, 'kind': %s, 'metadata': {'name': %s, 'namespace': %s, 'labels': {%s: %s}}, 'spec': %j}",
                   api_version, kind, NAME, namespace, MANAGED_LABEL, PLUGIN, spec);
}

/* Without its defaults, a quota on requests refuses every Pod that does not state its own: no quota without the LimitRange. Somebody
 * who has set a quota by hand is overruled, hence force. */
static void emit(const char *namespace, const esp_json *size) {
  const esp_apply_options overrule = {.force = ESP_YES};
  const esp_json *defaults = esp_get(size, "default");
  esp_open_group(ESP_ABORT);
  if (defaults) {
    esp_json *limits = esp_build("{'limits': [{'type': 'Container', 'default': %j, 'defaultRequest': %j}]}", defaults, defaults);
    esp_apply(managed("v1", "LimitRange", namespace, limits), &overrule);
  }
  esp_apply(managed("v1", "ResourceQuota", namespace, esp_build("{'hard': %j}", esp_get(size, "quota"))), &overrule);
  esp_close_group();
}

static void add_unknown(unknown_sizes *unknown, const char *namespace, const char *size) {
  unknown->names = esp_format("%s%s%s (%s)", unknown->count ? unknown->names : "", unknown->count ? ", " : "", size, namespace);
  unknown->count++;
}

static esp_result emit_all(const esp_collection *namespaces, esp_indices asking, const esp_json *sizes, unknown_sizes *unknown) {
  esp_values wanted;
  esp_ids ids = esp_ids_at(namespaces, asking);
  ESP_TRY(esp_values_at(namespaces, asking, SIZE_POINTER, &wanted));
  for (size_t i = 0; i < ids.len; i++) {
    const char *name = esp_string(wanted.at[i]);
    const esp_json *size;
    if (!name) continue;
    ESP_TRY(find_size(sizes, name, &size));
    if (size) emit(ids.at[i].name, size);
    else add_unknown(unknown, ids.at[i].name, name);
  }
  return ESP_OK;
}

/* The namespaces that ask for a size: all of them, or the one that started this call. */
static esp_result find_asking(const esp_collection *namespaces, esp_indices *asking) {
  esp_id event;
  uint32_t *index = esp_alloc(sizeof *index);
  if (!esp_event(&event) || strcmp(event.kind, "Namespace")) return esp_select(namespaces, NULL, SIZE_LABEL, asking);
  bool found = esp_find(namespaces, "", event.name, index);
  *asking = (esp_indices){index, found};
  return ESP_OK;
}

static bool asks(const esp_collection *namespaces, esp_indices asking, const char *namespace) {
  uint32_t index;
  if (!esp_find(namespaces, "", namespace, &index)) return false;
  for (size_t i = 0; i < asking.len; i++) {
    if (asking.at[i] == index) return true;
  }
  return false;
}

/* Deletes what is ours in namespaces that ask no more. Only a reconcile of all namespaces knows which these are. */
static esp_result delete_leftovers(const char *context, const esp_collection *namespaces, esp_indices asking) {
  esp_collection *collection;
  esp_indices ours;
  ESP_TRY(esp_open(context, &collection));
  ESP_TRY(esp_select(collection, NULL, MANAGED_LABEL "=" PLUGIN, &ours));
  esp_ids ids = esp_ids_at(collection, ours);
  for (size_t i = 0; i < ids.len; i++) {
    if (asks(namespaces, asking, ids.at[i].namespace)) continue;
    esp_log(ESP_INFO, "namespace asks for no size any more", {"namespace", ids.at[i].namespace}, {"kind", ids.at[i].kind});
    esp_delete(ids.at[i], NULL);
  }
  return ESP_OK;
}

static void tell(size_t asking, unknown_sizes unknown) {
  esp_message("%zu namespaces with a size", asking - unknown.count);
  if (!unknown.count) {
    esp_condition("SizesKnown", ESP_STATUS_TRUE, "AllKnown", "every namespace asks for a known size");
    return;
  }
  esp_condition("SizesKnown", ESP_STATUS_FALSE, "UnknownSize", "not in the ConfigMap of sizes: %s", unknown.names);
}

esp_result esp_reconcile(void) {
  const esp_json *sizes;
  esp_collection *namespaces;
  esp_indices asking;
  esp_id event;
  unknown_sizes unknown = {0};
  ESP_TRY(read_sizes(&sizes));
  ESP_TRY(esp_open("namespaces", &namespaces));
  ESP_TRY(find_asking(namespaces, &asking));
  ESP_TRY(emit_all(namespaces, asking, sizes, &unknown));
  if (!esp_event(&event)) {
    ESP_TRY(delete_leftovers("quotas", namespaces, asking));
    ESP_TRY(delete_leftovers("limits", namespaces, asking));
  }
  tell(asking.len, unknown);
  return ESP_OK;
}

const char *esp_schema(const char *role) {
  (void)role;
  return "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"type\": \"object\", \"required\": [\"sizes\"],"
         " \"additionalProperties\": false, \"properties\": {\"sizes\": {\"type\": \"string\", \"description\":"
         " \"The ConfigMap with the sizes, in the namespace of the ManagedResource.\"}}}";
}

void esp_validate(const char *role, const esp_json *config) {
  (void)role;
  const char *name = esp_string_or(esp_get(config, "sizes"), "");
  if (strchr(name, '/')) esp_problem("/sizes", "expected a name in the namespace of the ManagedResource, is \"%s\"", name);
}
