package main

import (
	"testing"

	"espejote.io/sdk/go/espejotetest"
)

func namespaceOf(name, label, team string) map[string]any {
	object := espejotetest.Object("v1", "Namespace", "", name)
	object["metadata"].(map[string]any)["labels"] = map[string]any{label: team}
	return object
}

func TestNamespacesAreCountedByTeam(t *testing.T) {
	value, result := espejotetest.Cluster{Contexts: map[string][]any{"namespaces": {
		namespaceOf("shop", "team", "a"), namespaceOf("shop-test", "team", "a"), namespaceOf("lab", "other", "b"),
	}}}.Provide(provide)
	if result.Failure != nil || string(value) != `{"a":2}` {
		t.Errorf("%s, failure %v", value, result.Failure)
	}
}

func TestTheLabelMayBeAnotherOne(t *testing.T) {
	value, result := espejotetest.Cluster{
		Config:   Config{Label: "owner"},
		Contexts: map[string][]any{"namespaces": {namespaceOf("shop", "owner", "b")}},
	}.Provide(provide)
	if result.Failure != nil || string(value) != `{"b":1}` {
		t.Errorf("%s, failure %v", value, result.Failure)
	}
}
