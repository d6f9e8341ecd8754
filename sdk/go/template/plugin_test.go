package main

import (
	"testing"

	"espejote.io/sdk/go/espejote"
	"espejote.io/sdk/go/espejotetest"
)

func namespace(name, greet string) map[string]any {
	object := espejotetest.Object("v1", "Namespace", "", name)
	object["metadata"].(map[string]any)["labels"] = map[string]any{"greet": greet}
	return object
}

func TestNamespacesThatWantOneGetAGreeting(t *testing.T) {
	result := espejotetest.Cluster{
		Config:   Config{Greeting: "Good morning"},
		Contexts: map[string][]any{"namespaces": {namespace("shop", "yes"), namespace("lab", "no")}},
	}.Reconcile(reconcile)
	if result.Failure != nil {
		t.Fatal(result.Failure)
	}
	greeting := result.Applied("ConfigMap", "shop", "greeting")
	if greeting == nil || greeting["data"].(map[string]any)["text"] != "Good morning, shop!" {
		t.Errorf("emitted %v", greeting)
	}
	if len(result.Items) != 1 {
		t.Errorf("%d items, expected one", len(result.Items))
	}
}

func TestWithoutNamespacesItIsNotReady(t *testing.T) {
	result := espejotetest.Cluster{Contexts: map[string][]any{"namespaces": nil}}.Reconcile(reconcile)
	if result.Failure == nil || result.Failure.Kind != espejote.KindNotReady {
		t.Errorf("failure %v, expected not-ready", result.Failure)
	}
}
