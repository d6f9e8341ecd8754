package espejotetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"

	"espejote.io/sdk/go/espejote"
	"espejote.io/sdk/go/internal/host"
)

// Cluster is what a call finds. The zero value is an empty one. Whatever is an any may be anything that encoding/json can
// write; a json.RawMessage stays as it is written.
type Cluster struct {
	// Owner defaults to the ManagedResource default/plugin.
	Owner espejote.Owner
	// Config is null by default.
	Config any
	// Contexts holds the objects of each context, in any order.
	Contexts map[string][]any
	// Unavailable holds contexts and provided values that cannot be had.
	Unavailable map[string]espejote.UnavailableError
	// Provided holds the values of entries of context that other plugins compute.
	Provided map[string]any
	// Files holds those of libraries by their path: <library>/<key> or lib/<library>/<key>.
	Files map[string]string
	// Trigger is the name of what started the call; empty: the general reconcile.
	Trigger string
	// Event is the object that started it. TriggerObject is that object; nil: it is gone.
	Event         *espejote.ObjectID
	TriggerObject any
	// LogLevel is the lowest level that is kept; info by default.
	LogLevel slog.Level
}

// Object is a minimal object, to be filled in. An empty namespace means a cluster-scoped kind.
func Object(apiVersion, kind, namespace, name string) map[string]any {
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
}

// Reconcile calls a reconciler.
func (c Cluster) Reconcile(reconcile func(*espejote.ReconcileCall) error) *Result {
	call := newCall(c)
	call.result.Failure = failed(espejote.RunReconcile(call, reconcile))
	return call.result
}

// Admit calls an admitter with an AdmissionRequest. The answer is nil if there is a failure.
func (c Cluster) Admit(admit func(*espejote.AdmitCall) (espejote.Decision, error), request any) (*Answer, *Result) {
	call := newCall(c)
	decision, failure := espejote.RunAdmit(call, admit, written(request))
	call.result.Failure = failed(failure)
	return answer(decision), call.result
}

// Provide calls a provider. The value is nil if there is a failure.
func (c Cluster) Provide(provide func(*espejote.ProvideCall) (any, error)) (json.RawMessage, *Result) {
	call := newCall(c)
	value, failure := espejote.RunProvide(call, provide)
	call.result.Failure = failed(failure)
	if failure != nil {
		return nil, call.result
	}
	return json.RawMessage(value), call.result
}

func failed(failure *host.Failure) *espejote.Failure {
	if failure == nil {
		return nil
	}
	return &espejote.Failure{Kind: failure.Kind, Err: fmt.Errorf("%s", failure.Message)}
}

// written panics where a test gives what is no JSON: that is a mistake in the test.
func written(value any) string {
	if text, isRaw := value.(json.RawMessage); isRaw {
		return string(text)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("espejotetest: %v", err))
	}
	return string(text)
}

// stored is an object as the host keeps it.
type stored struct {
	text   string
	id     host.ObjectID
	labels map[string]string
}

func store(objects []any) []stored {
	list := make([]stored, len(objects))
	for i, object := range objects {
		list[i] = storedObject(written(object))
	}
	slices.SortFunc(list, func(a, b stored) int {
		return cmp.Or(cmp.Compare(a.id.Namespace, b.id.Namespace), cmp.Compare(a.id.Name, b.id.Name))
	})
	return list
}

func storedObject(text string) stored {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name      string            `json:"name"`
			Namespace string            `json:"namespace"`
			Labels    map[string]string `json:"labels"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(text), &head); err != nil {
		panic(fmt.Sprintf("espejotetest: object %s: %v", text, err))
	}
	id := host.ObjectID{
		APIVersion: head.APIVersion, Kind: head.Kind, Namespace: head.Metadata.Namespace, Name: head.Metadata.Name,
	}
	return stored{text: text, id: id, labels: head.Metadata.Labels}
}

// revision is a hash here: equal text, equal revision.
func revision(texts ...string) host.Revision {
	hash := fnv.New64a()
	for _, text := range texts {
		hash.Write([]byte(text))
		hash.Write([]byte{0})
	}
	return host.Revision(hash.Sum64())
}
