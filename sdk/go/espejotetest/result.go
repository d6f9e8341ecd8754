package espejotetest

import (
	"encoding/json"
	"time"

	"espejote.io/sdk/go/espejote"
	"espejote.io/sdk/go/internal/host"
)

// Result is what came of a call.
type Result struct {
	// Failure is nil if the call succeeded; else nothing in Items would be written.
	Failure *espejote.Failure
	// Items were emitted, in this order.
	Items []Item
	// RequeueAfter is zero if it was not asked for.
	RequeueAfter time.Duration
	Message      string
	Conditions   []espejote.Condition
	// Waiting is nil if nothing is waited for.
	Waiting  *Waiting
	Document json.RawMessage
	// KeepInstance tells whether the plugin asked for its instance to be kept.
	KeepInstance bool
	Log          []Line
	// Warnings and Annotations go along with the answer to an admission request.
	Warnings    []string
	Annotations map[string]string
}

// Waiting is why a ManagedResource is not ready yet.
type Waiting struct{ Reason, Message string }

// Line is one line in the log.
type Line struct {
	// Level is trace, debug, info, warn or error.
	Level, Message string
	Fields         map[string]string
}

// Answer is the decision on an admission request.
type Answer struct {
	Allowed bool
	// Code is zero if the plugin left it out.
	Code    uint16
	Message string
	// Patch and Object are nil if there is none.
	Patch, Object json.RawMessage
}

// Item is one thing that was emitted: an apply, a deletion or a group. One of the three is set.
type Item struct {
	// Apply is the object.
	Apply json.RawMessage
	// Options are those of an apply; whatever is nil was left out.
	Options ApplyOptions
	// Delete is the object to delete.
	Delete *espejote.ObjectID
	// DeleteOptions are those of a deletion; whatever is nil was left out.
	DeleteOptions DeleteOptions
	// Group is a group.
	Group *Group
}

// ApplyOptions are those of an apply.
type ApplyOptions = host.ApplyOptions

// DeleteOptions are those of a deletion.
type DeleteOptions = host.DeleteOptions

// Group is a group and what is in it.
type Group struct {
	// Policy is nil if it is that of the group around it.
	Policy *espejote.ErrorPolicy
	Items  []Item
}

// Applied is the object of this kind and name that was emitted last, in groups as well, decoded with exact numbers; nil if
// there is none. For more, go through Items.
func (r *Result) Applied(kind, namespace, name string) map[string]any {
	item := r.find(func(item Item) bool {
		if item.Apply == nil {
			return false
		}
		id := storedObject(string(item.Apply)).id
		return id.Kind == kind && id.Namespace == namespace && id.Name == name
	})
	if item == nil {
		return nil
	}
	return decoded(item.Apply)
}

// Deleted tells whether the deletion of such an object was emitted.
func (r *Result) Deleted(kind, namespace, name string) bool {
	return r.find(func(item Item) bool {
		id := item.Delete
		return id != nil && id.Kind == kind && id.Namespace == namespace && id.Name == name
	}) != nil
}

// Condition is the condition of this type; nil if it was not set.
func (r *Result) Condition(kind string) *espejote.Condition {
	for i := range r.Conditions {
		if r.Conditions[i].Type == kind {
			return &r.Conditions[i]
		}
	}
	return nil
}

func (r *Result) find(is func(Item) bool) *Item { return findIn(r.Items, is) }

func findIn(items []Item, is func(Item) bool) *Item {
	var found *Item
	for i := range items {
		if is(items[i]) {
			found = &items[i]
		}
		if group := items[i].Group; group != nil {
			if inner := findIn(group.Items, is); inner != nil {
				found = inner
			}
		}
	}
	return found
}

func answer(decision *host.Decision) *Answer {
	if decision == nil {
		return nil
	}
	answer := &Answer{Allowed: decision.Allowed, Message: decision.Message}
	if decision.Code != nil {
		answer.Code = *decision.Code
	}
	if decision.Patch != nil {
		answer.Patch = json.RawMessage(*decision.Patch)
	}
	if decision.Object != nil {
		answer.Object = json.RawMessage(*decision.Object)
	}
	return answer
}
