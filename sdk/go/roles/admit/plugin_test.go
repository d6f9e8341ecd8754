package main

import (
	"testing"

	"espejote.io/sdk/go/espejotetest"
)

func asked(labels map[string]any) map[string]any {
	object := espejotetest.Object("v1", "ConfigMap", "default", "a")
	object["metadata"].(map[string]any)["labels"] = labels
	return map[string]any{"operation": "CREATE", "object": object}
}

func TestAnObjectOfATeamPasses(t *testing.T) {
	answer, result := espejotetest.Cluster{}.Admit(admit, asked(map[string]any{"team": "a"}))
	if result.Failure != nil || !answer.Allowed {
		t.Errorf("%v, failure %v", answer, result.Failure)
	}
}

func TestAnObjectOfNobodyIsRefused(t *testing.T) {
	answer, result := espejotetest.Cluster{}.Admit(admit, asked(nil))
	if result.Failure != nil || answer.Allowed || answer.Message != "the label team is missing" {
		t.Errorf("%v, failure %v", answer, result.Failure)
	}
}
