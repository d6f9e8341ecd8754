// The plugin {{name}}: each namespace with the label greet=yes gets a ConfigMap with a greeting.
package main

import (
	"time"

	"espejote.io/sdk/go/espejote"
)

func init() { espejote.Register(espejote.Plugin{Reconcile: reconcile}) }

// main never runs: the host calls what is registered.
func main() {}

// Config is what a manifest gives this plugin.
type Config struct {
	Greeting string `json:"greeting"`
}

func reconcile(call *espejote.ReconcileCall) error {
	config := Config{Greeting: "Hello"}
	if err := call.Config(&config); err != nil {
		return err
	}
	namespaces, err := call.Context("namespaces")
	if err != nil {
		return err
	}
	// The host's index of labels answers; no object is read.
	greeted, err := namespaces.Select("greet=yes")
	if err != nil {
		return err
	}
	if len(greeted) == 0 {
		call.RequeueAfter(time.Minute)
		return espejote.NotReady("no namespace has the label greet=yes")
	}
	for _, id := range namespaces.IDs(greeted) {
		call.Log().Debug("greeting", "namespace", id.Name)
		if err := call.Apply(greeting(config, id.Name), espejote.Force(true)); err != nil {
			return err
		}
	}
	return nil
}

func greeting(config Config, namespace string) map[string]any {
	return map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"name": "greeting", "namespace": namespace},
		"data":       map[string]any{"text": config.Greeting + ", " + namespace + "!"},
	}
}
