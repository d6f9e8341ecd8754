package monitoring

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

var (
	row  = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (counter|gauge|histogram) \\| (.*?) \\|")
	name = regexp.MustCompile("`([a-z_]+)`")
	// Labels that Prometheus adds, or that a histogram's buckets have.
	others = []string{"instance", "job", "le"}
)

// documented gives the labels of each metric of the guide's table; a histogram is its three series.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	metrics := map[string][]string{}
	for _, match := range row.FindAllStringSubmatch(text(t, "../../docs/guide/metrics.md"), -1) {
		of := slices.Clone(others)
		for _, label := range name.FindAllStringSubmatch(match[3], -1) {
			of = append(of, label[1])
		}
		series := []string{match[1]}
		if match[2] == "histogram" {
			series = []string{match[1] + "_bucket", match[1] + "_sum", match[1] + "_count"}
		}
		for _, one := range series {
			metrics[one] = of
		}
	}
	if len(metrics) < 20 {
		t.Fatalf("the guide's table of metrics has %d only", len(metrics))
	}
	return metrics
}

// check parses an expression, and says which of its metrics and labels nobody knows.
func check(t *testing.T, known map[string][]string, expression string) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			of, there := known[node.Name]
			if !there {
				t.Errorf("%s: the guide has no metric %s", expression, node.Name)
			}
			for _, matcher := range node.LabelMatchers {
				if matcher.Name != labels.MetricName && there && !slices.Contains(of, matcher.Name) {
					t.Errorf("%s: %s has no label %s", expression, node.Name, matcher.Name)
				}
			}
		case *parser.AggregateExpr:
			for metric, of := range metricsIn(known, node) {
				for _, label := range node.Grouping {
					if !slices.Contains(of, label) {
						t.Errorf("%s: %s has no label %s", expression, metric, label)
					}
				}
			}
		}
		return nil
	})
}

func metricsIn(known map[string][]string, node parser.Node) map[string][]string {
	found := map[string][]string{}
	parser.Inspect(node, func(node parser.Node, _ []parser.Node) error {
		if selector, is := node.(*parser.VectorSelector); is {
			found[selector.Name] = known[selector.Name]
		}
		return nil
	})
	return found
}

func TestRulesNameMetricsAndLabelsOfTheGuide(t *testing.T) {
	known := documented(t)
	for _, rule := range rules(t) {
		check(t, known, rule.Expr)
	}
}

type panel struct {
	ID      int
	Title   string
	Type    string
	Targets []struct{ Expr string }
}

func TestTheDashboardNamesMetricsAndLabelsOfTheGuide(t *testing.T) {
	var dashboard struct {
		Panels     []panel
		Templating struct {
			List []struct{ Definition string }
		}
	}
	if err := json.Unmarshal([]byte(text(t, folder+"dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	known, ids := documented(t), map[int]string{}
	fill := strings.NewReplacer("$__rate_interval", "5m", "$namespace", ".*", "$managedresource", ".*")
	for _, panel := range dashboard.Panels {
		if other, taken := ids[panel.ID]; taken {
			t.Errorf("%q and %q have the same id", panel.Title, other)
		}
		ids[panel.ID] = panel.Title
		if panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("%q shows nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			check(t, known, fill.Replace(target.Expr))
		}
	}
	for _, variable := range dashboard.Templating.List {
		if values, is := strings.CutPrefix(variable.Definition, "label_values("); is {
			check(t, known, fill.Replace(values[:strings.LastIndex(values, ",")]))
		}
	}
	if len(ids) < 20 {
		t.Errorf("the dashboard has %d panels only", len(ids))
	}
}
