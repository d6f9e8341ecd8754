package monitoring

import (
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

const folder = "../../deploy/monitoring/"

func text(t *testing.T, path string) string {
	t.Helper()
	read, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(read)
}

func rules(t *testing.T) []rulefmt.Rule {
	t.Helper()
	read := []byte(text(t, folder+"rules.yaml"))
	groups, errs := rulefmt.Parse(read, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var all []rulefmt.Rule
	for _, group := range groups.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

func TestThePrometheusRuleHoldsTheRules(t *testing.T) {
	var resource struct {
		Spec any `json:"spec"`
	}
	var plain any
	if err := yaml.Unmarshal([]byte(text(t, folder+"prometheus-rule.yaml")), &resource); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(text(t, folder+"rules.yaml")), &plain); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(resource.Spec, plain) {
		t.Error("prometheus-rule.yaml is not rules.yaml: make monitoring")
	}
}

// M11: what those alert on who have run VSHN's Espejote.
func TestTheMetricsThatAlertsAlwaysUsedAreUsed(t *testing.T) {
	all := text(t, folder+"rules.yaml")
	for _, used := range []string{
		"espejote_reconciles_total", "espejote_reconcile_errors_total", `espejote_admission_requests_total{code=~"5.."}`,
		"espejote_managedresource_status_ready", "espejote_cache_size_bytes",
	} {
		if !strings.Contains(all, used) {
			t.Errorf("no rule uses %s", used)
		}
	}
}

func TestEveryAlertHasASeverityAndWordsAndStandsInTheGuide(t *testing.T) {
	guide := text(t, "../../docs/guide/metrics.md")
	for _, rule := range rules(t) {
		if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
			t.Errorf("%s lacks a severity, summary or description", rule.Alert)
		}
		if !strings.Contains(guide, "| `"+rule.Alert+"` |") {
			t.Errorf("docs/guide/metrics.md does not list %s", rule.Alert)
		}
	}
	if listed := strings.Count(guide, "| `Espejote"); listed != len(rules(t)) {
		t.Errorf("docs/guide/metrics.md lists %d alerts, there are %d", listed, len(rules(t)))
	}
}
