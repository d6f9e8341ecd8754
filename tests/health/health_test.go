package health

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/yaml"
)

// What is expected of each recorded object.
var expected = map[string]struct {
	kstatus status.Status
	argocd  string
	// What Argo CD shows beside it has to hold this.
	message string
}{
	// kstatus takes an object without any status for done; Argo CD's check does not.
	"managedresource-new":      {status.CurrentStatus, "Progressing", "Waiting for the operator"},
	"managedresource-ready":    {status.CurrentStatus, "Healthy", "Succeeded"},
	"managedresource-failing":  {status.InProgressStatus, "Progressing", "conflict with"},
	"managedresource-waiting":  {status.InProgressStatus, "Progressing", "three to go"},
	"managedresource-stalled":  {status.FailedStatus, "Degraded", "Unknown variable: nowhere"},
	"managedresource-changed":  {status.InProgressStatus, "Progressing", "see the last change"},
	"managedresource-deleted":  {status.TerminatingStatus, "Progressing", "Being deleted"},
	"admission-new":            {status.CurrentStatus, "Progressing", "Waiting for the operator"},
	"admission-ready":          {status.CurrentStatus, "Healthy", "Succeeded"},
	"admission-failing":        {status.InProgressStatus, "Progressing", "is not ready"},
	"admission-stalled":        {status.FailedStatus, "Degraded", "Unknown variable: nowhere"},
	"admission-refused":        {status.FailedStatus, "Degraded", "refuses spec.webhookConfiguration"},
	"admission-changed":        {status.InProgressStatus, "Progressing", "see the last change"},
	"clusteradmission-ready":   {status.CurrentStatus, "Healthy", "Succeeded"},
	"clusteradmission-stalled": {status.FailedStatus, "Degraded", "Unknown variable: nowhere"},
	"plugin-new":               {status.CurrentStatus, "Progressing", "Waiting for the operator"},
	"plugin-ready":             {status.CurrentStatus, "Healthy", "runs sha256:"},
	"plugin-not-found":         {status.InProgressStatus, "Degraded", "no such manifest"},
	"plugin-not-allowed":       {status.InProgressStatus, "Degraded", "does not allow"},
	"plugin-update-refused":    {status.CurrentStatus, "Degraded", "goes on running, since the newest version cannot"},
	"plugin-changed":           {status.InProgressStatus, "Progressing", "see the last change"},
}

func read(t *testing.T, path string) *unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err = yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return object
}

// recorded calls a test for each recorded object; each has to be expected, and the other way round.
func recorded(t *testing.T, test func(t *testing.T, name string, object *unstructured.Unstructured)) {
	t.Helper()
	files, err := filepath.Glob("recorded/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(expected) {
		t.Errorf("%d objects are recorded, %d are expected", len(files), len(expected))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if _, known := expected[name]; !known {
			t.Errorf("nothing is expected of %s", file)
		}
		t.Run(name, func(t *testing.T) { test(t, name, read(t, file)) })
	}
}

func TestKstatusComputesWhatTheConditionsMean(t *testing.T) {
	recorded(t, func(t *testing.T, name string, object *unstructured.Unstructured) {
		result, err := status.Compute(object)
		if err != nil {
			t.Fatal(err)
		}
		if result.Status != expected[name].kstatus {
			t.Errorf("kstatus says %s (%s), expected %s", result.Status, result.Message, expected[name].kstatus)
		}
	})
}

func TestArgoCDShowsWhatTheConditionsMean(t *testing.T) {
	script := healthScript(t)
	recorded(t, func(t *testing.T, name string, object *unstructured.Unstructured) {
		health := argocdHealth(t, script, object.Object)
		want := expected[name]
		if health.status != want.argocd || !strings.Contains(health.message, want.message) {
			t.Errorf("Argo CD shows %+v, expected %s with %q", health, want.argocd, want.message)
		}
	})
}

// What is not recorded: how the check reads what an operator of another version, or a slow registry, may leave.
func TestArgoCDsCheckReadsOtherStatuses(t *testing.T) {
	ready := map[string]any{"type": "Ready", "status": "True", "reason": "RegistryUnavailable", "message": "goes on running"}
	away := map[string]any{"type": "Resolved", "status": "False", "reason": "RegistryUnavailable", "message": "timeout"}
	pending := map[string]any{"type": "Ready", "status": "Unknown", "reason": "Pending", "message": "is being looked for"}
	script := healthScript(t)
	for _, test := range []struct {
		name, want string
		status     any
	}{
		{"no conditions", "Progressing", map[string]any{"status": "Ready"}},
		{"a registry is away for a while", "Healthy", conditions(ready, away)},
		{"nothing is known yet", "Progressing", conditions(pending)},
		{"a condition without words", "Healthy", conditions(map[string]any{"type": "Ready", "status": "True"})},
	} {
		t.Run(test.name, func(t *testing.T) {
			object := map[string]any{"metadata": map[string]any{"generation": int64(1)}, "status": test.status}
			if health := argocdHealth(t, script, object); health.status != test.want {
				t.Errorf("Argo CD shows %+v, expected %s", health, test.want)
			}
		})
	}
}

func conditions(of ...any) map[string]any {
	return map[string]any{"observedGeneration": int64(1), "conditions": of}
}
