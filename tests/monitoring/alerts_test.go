package monitoring

import (
	"maps"
	"slices"
	"testing"
	"time"
)

const mib = 1024 * 1024

// What is there when all is well; none of the alerts may come.
func well() given {
	return given{
		`espejote_build_info{version="0.1.0"}`:                                                          steady(1),
		`espejote_watches{state="synced"}`:                                                              steady(40),
		`espejote_watches{state="stale"}`:                                                               steady(0),
		`espejote_watches{state="not_synced"}`:                                                          steady(0),
		`espejote_client_throttled_seconds_total`:                                                       rising(6),
		`espejote_token_requests_total{outcome="succeeded"}`:                                            rising(1),
		`espejote_token_requests_total{outcome="failed"}`:                                               steady(3),
		`espejote_events_dropped_total{cause="full"}`:                                                   steady(7),
		`espejote_managedresource_status_ready{managedresource="a",namespace="n"}`:                      until(118, 0),
		`espejote_reconciles_total{managedresource="a",namespace="n",trigger="t"}`:                      rising(60),
		`espejote_reconcile_errors_total{managedresource="a",namespace="n",trigger="t",error_kind="X"}`: steady(9),
		`espejote_guest_limit_hits_total{managedresource="a",namespace="n",limit="memory"}`:             steady(5),
		`espejote_cache_size_bytes{managedresource="a",namespace="n",name="c",type="context"}`:          steady(500 * mib),
		`espejote_admission_requests_total{admission="d",namespace="n",code="200"}`:                     rising(100),
		`espejote_admission_requests_total{admission="d",namespace="n",code="403"}`:                     rising(100),
		`espejote_admission_requests_total{admission="d",namespace="n",code="500"}`:                     steady(2),
	}
}

// What makes each alert come, and with which labels.
var trouble = []struct {
	alert, labels string
	data          given
}{
	{"EspejoteDown", "{}", nil},
	{"EspejoteWatchesStale", "{}", given{`espejote_watches{state="stale"}`: steady(2)}},
	{"EspejoteWatchesNotSynced", "{}", given{`espejote_watches{state="not_synced"}`: steady(1)}},
	{"EspejoteClientThrottled", "{}", given{`espejote_client_throttled_seconds_total`: rising(120)}},
	{"EspejoteTokenRequestsFail", "{}", given{`espejote_token_requests_total{outcome="failed"}`: rising(1)}},
	{"EspejoteEventsDropped", `{cause="full"}`, given{`espejote_events_dropped_total{cause="full"}`: rising(1)}},
	{
		"EspejoteManagedResourceNotReady", `{managedresource="b", namespace="n"}`,
		given{`espejote_managedresource_status_ready{managedresource="b",namespace="n"}`: steady(0)},
	},
	{
		"EspejoteReconcileErrors", `{error_kind="ApplyError", managedresource="b", namespace="n"}`,
		given{`espejote_reconcile_errors_total{managedresource="b",namespace="n",trigger="",error_kind="ApplyError"}`: rising(1)},
	},
	{
		"EspejoteReconcilesTooOften", `{managedresource="b", namespace="n", trigger="t"}`,
		given{`espejote_reconciles_total{managedresource="b",namespace="n",trigger="t"}`: rising(600)},
	},
	{
		"EspejoteGuestLimitHits", `{limit="memory", managedresource="b", namespace="n"}`,
		given{`espejote_guest_limit_hits_total{managedresource="b",namespace="n",limit="memory"}`: rising(1)},
	},
	{
		"EspejoteCacheLarge", `{managedresource="b", namespace="n"}`,
		given{
			`espejote_cache_size_bytes{managedresource="b",namespace="n",name="c",type="context"}`: steady(300 * mib),
			`espejote_cache_size_bytes{managedresource="b",namespace="n",name="t",type="trigger"}`: steady(300 * mib),
		},
	},
	{
		"EspejoteAdmissionErrors", `{admission="e", namespace="n"}`,
		given{`espejote_admission_requests_total{admission="e",namespace="n",code="500"}`: rising(1)},
	},
}

func TestNoAlertComesWhenAllIsWell(t *testing.T) {
	for _, rule := range rules(t) {
		if alerts := firing(t, rule.Expr, time.Duration(rule.For), well()); len(alerts) > 0 {
			t.Errorf("%s: %v", rule.Alert, slices.Collect(maps.Keys(alerts)))
		}
	}
}

func TestEachAlertComesForItsTroubleAndForNothingElse(t *testing.T) {
	tried := map[string]bool{}
	for _, test := range trouble {
		t.Run(test.alert, func(t *testing.T) {
			data := well()
			maps.Copy(data, test.data)
			if test.data == nil {
				data = given{}
			}
			for _, rule := range rules(t) {
				want := map[string]bool{}
				if rule.Alert == test.alert {
					want[test.labels] = true
				}
				if alerts := firing(t, rule.Expr, time.Duration(rule.For), data); !maps.Equal(alerts, want) {
					t.Errorf("%s: %v, expected %v", rule.Alert, slices.Collect(maps.Keys(alerts)), want)
				}
			}
		})
		tried[test.alert] = true
	}
	for _, rule := range rules(t) {
		if !tried[rule.Alert] {
			t.Errorf("nothing here makes %s come", rule.Alert)
		}
	}
}
