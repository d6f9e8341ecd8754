package espejotetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"espejote.io/sdk/go/espejote"
)

func pod(namespace, name, app string) map[string]any {
	object := Object("v1", "Pod", namespace, name)
	object["metadata"].(map[string]any)["labels"] = map[string]any{"app": app}
	return object
}

func pods() Cluster {
	return Cluster{Contexts: map[string][]any{"pods": {
		pod("shop", "web", "web"), pod("lab", "db", "db"), pod("shop", "api", "api"),
	}}}
}

// reading calls a plugin that only reads, and fails if it does.
func reading(t *testing.T, cluster Cluster, read func(*espejote.ReconcileCall) error) *Result {
	t.Helper()
	result := cluster.Reconcile(read)
	if result.Failure != nil {
		t.Fatal(result.Failure)
	}
	return result
}

func expect[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, expected %v", what, got, want)
	}
}

func TestObjectsComeByNamespaceAndName(t *testing.T) {
	reading(t, pods(), func(call *espejote.ReconcileCall) error {
		collection, err := call.Context("pods")
		if err != nil {
			return err
		}
		var names []string
		for _, id := range collection.IDs(collection.All()) {
			names = append(names, id.Namespace+"/"+id.Name)
		}
		expect(t, "names", strings.Join(names, " "), "lab/db shop/api shop/web")
		index, found := collection.Find("shop", "api")
		expect(t, "found", found, true)
		expect(t, "index", index, 1)
		_, found = collection.Find("", "api")
		expect(t, "found without namespace", found, false)
		return nil
	})
}

func TestSelectorsAreThoseOfKubectl(t *testing.T) {
	for selector, want := range map[string][]uint32{
		"":                       {0, 1, 2},
		"app":                    {0, 1, 2},
		"!app":                   nil,
		"app=web":                {2},
		"app==web":               {2},
		"app!=web":               {0, 1},
		"tier!=front":            {0, 1, 2},
		"app in (web, db)":       {0, 2},
		"app notin (web,db),app": {1},
	} {
		reading(t, pods(), func(call *espejote.ReconcileCall) error {
			collection, _ := call.Context("pods")
			got, err := collection.Select(selector)
			expect(t, selector, got, want)
			return err
		})
	}
}

func TestASelectorThatIsNoneIsAnInvalidInput(t *testing.T) {
	result := pods().Reconcile(func(call *espejote.ReconcileCall) error {
		collection, _ := call.Context("pods")
		_, err := collection.SelectIn("shop", "app in web")
		return err
	})
	expect(t, "kind", result.Failure.Kind, espejote.KindInvalidInput)
	if !strings.Contains(result.Failure.Error(), `label selector "app in web" for context "pods"`) {
		t.Error(result.Failure)
	}
}

func TestNumbersStayAsTheyAreWritten(t *testing.T) {
	text := `{"apiVersion":"v1","kind":"W","metadata":{"name":"a"},"big":9007199254740993,"ratio":3.0,"text":"<&>"}`
	cluster := Cluster{Contexts: map[string][]any{"w": {json.RawMessage(text)}}}
	result := reading(t, cluster, func(call *espejote.ReconcileCall) error {
		collection, _ := call.Context("w")
		for object, err := range espejote.Objects[map[string]any](collection) {
			if err != nil {
				return err
			}
			if err := call.Apply(object); err != nil {
				return err
			}
		}
		values, err := espejote.Values[json.Number](collection, []uint32{0}, "/ratio")
		expect(t, "value", values[0].String(), "3.0")
		return err
	})
	for _, part := range []string{`"big":9007199254740993`, `"ratio":3.0`, `"text":"<&>"`} {
		if !strings.Contains(string(result.Items[0].Apply), part) {
			t.Errorf("%s lacks %s", result.Items[0].Apply, part)
		}
	}
}

func TestValuesAreFoundByPointer(t *testing.T) {
	cluster := Cluster{Contexts: map[string][]any{"w": {
		json.RawMessage(`{"apiVersion":"v1","kind":"W","metadata":{"name":"a"},"a/b":[{"~":"x"}],"n":null}`),
	}}}
	reading(t, cluster, func(call *espejote.ReconcileCall) error {
		collection, _ := call.Context("w")
		for pointer, want := range map[string]json.RawMessage{
			"/a~1b/0/~0": json.RawMessage(`"x"`), "/a~1b/1": nil, "/kind/x": nil, "/n": json.RawMessage("null"),
		} {
			values, err := collection.Values([]uint32{0}, pointer)
			if err != nil {
				return err
			}
			expect(t, pointer, string(values[0]), string(want))
		}
		_, err := espejote.Values[int](collection, []uint32{0}, "/kind")
		expect(t, "kind of failure", espejote.KindOf(err), espejote.KindInvalidInput)
		if !strings.Contains(err.Error(), `W a at /kind of context "w"`) {
			t.Error(err)
		}
		return nil
	})
}

func TestEqualRevisionsMeanEqualBytes(t *testing.T) {
	seen := map[espejote.Revision]bool{}
	for _, name := range []string{"a", "a", "b"} {
		cluster := Cluster{Contexts: map[string][]any{"w": {Object("v1", "W", "", name)}}}
		reading(t, cluster, func(call *espejote.ReconcileCall) error {
			collection, _ := call.Context("w")
			seen[collection.Revision()] = true
			expect(t, "revisions", len(collection.Revisions()), 1)
			return nil
		})
	}
	expect(t, "different revisions", len(seen), 2)
}

func TestWhatCannotBeHadIsNeverEmpty(t *testing.T) {
	kinds := map[espejote.UnavailableReason]espejote.FailureKind{
		espejote.NotSynced: espejote.KindNotReady,
		espejote.Forbidden: espejote.KindInvalidInput,
		espejote.Failed:    espejote.KindInvalidInput,
	}
	for reason, kind := range kinds {
		cluster := Cluster{Unavailable: map[string]espejote.UnavailableError{"pods": {Reason: reason, Message: "words"}}}
		result := cluster.Reconcile(func(call *espejote.ReconcileCall) error {
			_, err := call.Context("pods")
			var unavailable *espejote.UnavailableError
			expect(t, "is unavailable", errors.As(err, &unavailable) && unavailable.Reason == reason, true)
			return fmt.Errorf("reading: %w", err)
		})
		expect(t, "kind", result.Failure.Kind, kind)
		expect(t, "message", result.Failure.Error(), "reading: words")
	}
	result := Cluster{}.Reconcile(func(call *espejote.ReconcileCall) error {
		_, err := call.Context("pods")
		return err
	})
	expect(t, "kind of an unknown name", result.Failure.Kind, espejote.KindInvalidInput)
}

func TestErrorsKeepTheirKindThroughWrapping(t *testing.T) {
	for want, err := range map[espejote.FailureKind]error{
		espejote.KindNotReady:      fmt.Errorf("outer: %w", espejote.NotReady("no %s", "name")),
		espejote.KindInvalidConfig: espejote.InvalidConfig("x"),
		espejote.KindInvalidInput:  espejote.As(espejote.KindInvalidInput, errors.New("x")),
		espejote.KindInvalidOutput: espejote.InvalidOutput("x"),
		espejote.KindInternal:      errors.New("plain"),
	} {
		result := Cluster{}.Reconcile(func(*espejote.ReconcileCall) error { return err })
		expect(t, err.Error(), result.Failure.Kind, want)
		expect(t, "message", result.Failure.Error(), err.Error())
	}
	expect(t, "as nothing", espejote.As(espejote.KindNotReady, nil), nil)
}

func TestAPanicIsAnInternalFailure(t *testing.T) {
	result := Cluster{}.Reconcile(func(*espejote.ReconcileCall) error { panic("out of tea") })
	expect(t, "kind", result.Failure.Kind, espejote.KindInternal)
	expect(t, "message", result.Failure.Error(), "panic: out of tea")
}

func TestConfigIsStrictAndKeepsDefaults(t *testing.T) {
	config := struct {
		Name string `json:"name"`
		Size int    `json:"size"`
	}{Size: 3}
	reading(t, Cluster{}, func(call *espejote.ReconcileCall) error { return call.Config(&config) })
	expect(t, "without config", config.Size, 3)
	given := Cluster{Config: map[string]any{"name": "a"}}
	reading(t, given, func(call *espejote.ReconcileCall) error { return call.Config(&config) })
	expect(t, "with config", config.Name+fmt.Sprint(config.Size), "a3")
	given.Config = map[string]any{"nmae": "a"}
	result := given.Reconcile(func(call *espejote.ReconcileCall) error { return call.Config(&config) })
	expect(t, "kind", result.Failure.Kind, espejote.KindInvalidConfig)
	if !strings.Contains(result.Failure.Error(), `config: json: unknown field "nmae"`) {
		t.Error(result.Failure)
	}
}

func TestWhatIsEmittedArrivesInOrderAndInGroups(t *testing.T) {
	result := reading(t, Cluster{}, func(call *espejote.ReconcileCall) error {
		err := call.Group(espejote.Abort, func() error {
			call.Delete(Named("v1", "B", "n", "b"), espejote.Propagate(espejote.Orphan), espejote.GracePeriodSeconds(0))
			return call.GroupAsOutside(func() error {
				return call.Apply(Object("v1", "A", "", "a"), espejote.Force(false), espejote.Subresource("status"))
			})
		})
		if err != nil {
			return err
		}
		return call.Apply(Object("v1", "C", "", "c"))
	})
	group := result.Items[0].Group
	expect(t, "policy", *group.Policy, espejote.Abort)
	expect(t, "deleted", result.Deleted("B", "n", "b"), true)
	expect(t, "grace period", *group.Items[0].DeleteOptions.GracePeriodSeconds, 0)
	inner := group.Items[1].Group
	expect(t, "inner policy", inner.Policy, nil)
	expect(t, "force", *inner.Items[0].Options.Force, false)
	expect(t, "field manager", inner.Items[0].Options.FieldManager, nil)
	expect(t, "after the group", result.Items[1].Apply != nil, true)
	expect(t, "applied", result.Applied("A", "", "a") != nil, true)
}

func TestAGroupIsClosedWhenItFails(t *testing.T) {
	result := Cluster{}.Reconcile(func(call *espejote.ReconcileCall) error {
		_ = call.Group(espejote.Continue, func() error { return errors.New("x") })
		return call.Apply(Object("v1", "C", "", "c"))
	})
	expect(t, "items outside", len(result.Items), 2)
}

func TestWhatIsNoObjectIsAnInvalidOutput(t *testing.T) {
	for _, bad := range []any{func() {}, "a string", map[bool]int{true: 1}} {
		result := Cluster{}.Reconcile(func(call *espejote.ReconcileCall) error { return call.Apply(bad) })
		if result.Failure == nil || result.Failure.Kind != espejote.KindInvalidOutput {
			t.Errorf("%T: %v", bad, result.Failure)
		}
	}
}

func TestReportsAreTaken(t *testing.T) {
	result := Cluster{}.Reconcile(func(call *espejote.ReconcileCall) error {
		call.RequeueAfter(time.Minute)
		call.Message("one of two")
		call.SetCondition(espejote.Condition{Type: "Synced", Status: espejote.True})
		call.SetCondition(espejote.Condition{Type: "Synced", Status: espejote.False, Reason: "Why"})
		call.Waiting("Slow", "not there")
		call.KeepInstance()
		return call.Document([]int{1})
	})
	expect(t, "requeue", result.RequeueAfter, time.Minute)
	expect(t, "conditions", len(result.Conditions), 1)
	expect(t, "condition", result.Condition("Synced").Status, espejote.False)
	expect(t, "waiting", result.Waiting.Reason, "Slow")
	expect(t, "document", string(result.Document), "[1]")
	expect(t, "kept", result.KeepInstance, true)
}

func TestLogLinesHaveTheirFields(t *testing.T) {
	result := reading(t, Cluster{}, func(call *espejote.ReconcileCall) error {
		call.Log().Debug("not kept")
		call.Log().With("a", 1).WithGroup("g").Warn("with fields", "b", 2, slog.Group("h", "c", "x"))
		slog.Info("by the default logger")
		return nil
	})
	expect(t, "lines", len(result.Log), 2)
	expect(t, "level", result.Log[0].Level, "warn")
	expect(t, "fields", result.Log[0].Fields, map[string]string{"a": "1", "g.b": "2", "g.h.c": "x"})
	expect(t, "message", result.Log[1].Message, "by the default logger")
}

func TestACallKnowsWhyItWasMade(t *testing.T) {
	id := Named("v1", "Pod", "shop", "web")
	cluster := Cluster{
		Trigger: "pod", Event: &id, TriggerObject: pod("shop", "web", "web"),
		Files: map[string]string{"organisation/teams.json": "{}"}, Provided: map[string]any{"sum": json.Number("12345678901234567890")},
	}
	reading(t, cluster, func(call *espejote.ReconcileCall) error {
		var object struct {
			Metadata struct{ Labels map[string]string }
		}
		found, err := call.Object(&object)
		expect(t, "found", found, true)
		expect(t, "label", object.Metadata.Labels["app"], "web")
		expect(t, "trigger", call.TriggerName()+" "+call.Event().Name, "pod web")
		var sum json.Number
		err = errors.Join(err, call.Provided("sum", &sum))
		expect(t, "provided", sum.String(), "12345678901234567890")
		content, fileErr := call.ReadFile("organisation/teams.json")
		expect(t, "file", string(content), "{}")
		_, missing := call.ReadFile("organisation/other.json")
		var fileError *espejote.FileError
		expect(t, "missing", errors.As(missing, &fileError) && fileError.Reason == espejote.FileNoKey, true)
		expect(t, "kind of a missing file", espejote.KindOf(missing), espejote.KindInvalidInput)
		return errors.Join(err, fileErr)
	})
}

func TestAnAdmitterDecides(t *testing.T) {
	admit := func(call *espejote.AdmitCall) (espejote.Decision, error) {
		var request struct{ Operation string }
		if err := call.Request(&request); err != nil {
			return espejote.Decision{}, err
		}
		call.Warn("mind the gap")
		call.Annotate("a", "b")
		return espejote.Decision{Allowed: true, Patch: []any{}, Message: request.Operation}, nil
	}
	answer, result := Cluster{}.Admit(admit, map[string]any{"operation": "DELETE"})
	expect(t, "allowed", answer.Allowed, true)
	expect(t, "patch", string(answer.Patch), "[]")
	expect(t, "message", answer.Message, "DELETE")
	expect(t, "warnings", result.Warnings, []string{"mind the gap"})
	expect(t, "annotations", result.Annotations["a"], "b")
	both := func(*espejote.AdmitCall) (espejote.Decision, error) {
		return espejote.Decision{Allowed: true, Patch: []any{}, Object: map[string]any{}}, nil
	}
	_, result = Cluster{}.Admit(both, nil)
	expect(t, "kind", result.Failure.Kind, espejote.KindInvalidOutput)
}

func TestAProvidedValueIsADocument(t *testing.T) {
	for value, want := range map[any]string{"text": `"text"`, 3: "3", nil: "null"} {
		got, result := Cluster{}.Provide(func(*espejote.ProvideCall) (any, error) { return value, nil })
		if result.Failure != nil || string(got) != want {
			t.Errorf("%v: %s, %v", value, got, result.Failure)
		}
	}
	_, result := Cluster{}.Provide(func(*espejote.ProvideCall) (any, error) { return func() {}, nil })
	expect(t, "kind", result.Failure.Kind, espejote.KindInvalidOutput)
}

func TestARoleThatThePluginLacksFails(t *testing.T) {
	result := Cluster{}.Reconcile(nil)
	if result.Failure == nil || !strings.Contains(result.Failure.Error(), "espejote.Plugin.Reconcile is nil") {
		t.Error(result.Failure)
	}
}

func TestAnOwnerReferenceHasTheFourFieldsThatKubernetesDemands(t *testing.T) {
	reading(t, Cluster{}, func(call *espejote.ReconcileCall) error {
		expect(t, "reference", len(call.Owner().Reference()), 4)
		return nil
	})
}
