package monitoring

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// One value a minute, for two hours.
const (
	step    = time.Minute
	minutes = 120
)

// given is a database: each series as PromQL writes it, with the value at each minute.
type given map[string]func(minute float64) float64

func steady(value float64) func(float64) float64 { return func(float64) float64 { return value } }

// rising is a counter that goes up by so much in a minute.
func rising(by float64) func(float64) float64 {
	return func(minute float64) float64 { return by * minute }
}

// until holds a value up to a minute, and 1 from then on.
func until(end, value float64) func(float64) float64 {
	return func(minute float64) float64 {
		if minute < end {
			return value
		}
		return 1
	}
}

func (g given) Querier(int64, int64) (storage.Querier, error) { return querier{g}, nil }

type querier struct{ given }

func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	var found []storage.Series
	for text, value := range q.given {
		series := metric(text)
		if matches(series, matchers) {
			found = append(found, storage.NewListSeries(series, samples(value)))
		}
	}
	return &list{all: found, at: -1}
}

func (querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) Close() error { return nil }

type list struct {
	all []storage.Series
	at  int
}

func (l *list) Next() bool                      { l.at++; return l.at < len(l.all) }
func (l *list) At() storage.Series              { return l.all[l.at] }
func (*list) Err() error                        { return nil }
func (*list) Warnings() annotations.Annotations { return nil }

func metric(text string) labels.Labels {
	parsed, err := parser.NewParser(parser.Options{}).ParseMetric(text)
	if err != nil {
		panic(err)
	}
	return parsed
}

func matches(series labels.Labels, matchers []*labels.Matcher) bool {
	for _, matcher := range matchers {
		if !matcher.Matches(series.Get(matcher.Name)) {
			return false
		}
	}
	return true
}

func samples(value func(float64) float64) []chunks.Sample {
	all := make([]chunks.Sample, 0, minutes)
	for minute := range minutes {
		all = append(all, sample{int64(minute) * step.Milliseconds(), value(float64(minute))})
	}
	return all
}

// firing gives the labels of each alert of a rule at the end: those whose expression has held for as long as the rule asks.
func firing(t *testing.T, expression string, lasting time.Duration, data given) map[string]bool {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 1e6, Timeout: time.Minute, Parser: parser.NewParser(parser.Options{}),
	})
	defer engine.Close()
	end := time.UnixMilli(0).Add((minutes - 1) * step)
	query, err := engine.NewRangeQuery(t.Context(), data, nil, expression, end.Add(-lasting), end, step)
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	result := query.Exec(t.Context())
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	matrix, err := result.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	alerts := map[string]bool{}
	for _, series := range matrix {
		if len(series.Floats) == int(lasting/step)+1 && !math.IsNaN(series.Floats[0].F) {
			alerts[series.Metric.DropMetricName().String()] = true
		}
	}
	return alerts
}

// sample is one value of a series that is no histogram.
type sample struct {
	at    int64
	value float64
}

func (s sample) T() int64                    { return s.at }
func (sample) ST() int64                     { return 0 }
func (s sample) F() float64                  { return s.value }
func (sample) H() *histogram.Histogram       { return nil }
func (sample) FH() *histogram.FloatHistogram { return nil }
func (sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample         { return s }
