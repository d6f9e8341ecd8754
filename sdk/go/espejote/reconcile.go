package espejote

import (
	"encoding/json"
	"time"

	"espejote.io/sdk/go/internal/host"
)

// ReconcileCall is one reconcile of a ManagedResource: what started it, what to emit and what to report. Reports are taken
// whether the call succeeds or fails.
type ReconcileCall struct {
	Call
	provided
	host host.Host
}

func newReconcileCall(of host.Host) *ReconcileCall {
	return &ReconcileCall{Call: newCall(of), provided: provided{of}, host: of}
}

// TriggerName is the name of the trigger in the manifest; empty for the general reconcile, for all objects at once.
func (c *ReconcileCall) TriggerName() string {
	if name := c.host.TriggerName(); name != nil {
		return *name
	}
	return ""
}

// Event is the object whose change started this call; nil for the general reconcile and for intervals. Several changes
// of it may have been merged into one call.
func (c *ReconcileCall) Event() *ObjectID { return c.host.TriggerEvent() }

// Object decodes the object of [ReconcileCall.Event], as it is at the instant of the state. False if it is gone, or if
// there is none.
func (c *ReconcileCall) Object(into any) (bool, error) {
	text := c.ObjectJSON()
	if text == nil {
		return false, nil
	}
	if err := decode(text, into, false); err != nil {
		what := "object of the trigger"
		if id := c.Event(); id != nil {
			what = written(*id)
		}
		return true, InvalidInput("%s: %w", what, err)
	}
	return true, nil
}

// ObjectJSON is that object as JSON; nil if there is none.
func (c *ReconcileCall) ObjectJSON() json.RawMessage { return raw(c.host.TriggerObject()) }

// ErrorPolicy says what becomes of the rest of a group after an error at one of its items.
type ErrorPolicy = host.ErrorPolicy

// The policies of a group.
const (
	// Continue carries on and reports all errors at the end.
	Continue = host.Continue
	// Abort leaves out the rest of the group. For the group around it, this group is one item with an error.
	Abort = host.Abort
)

// Apply asks for a server-side apply of an object: apiVersion, kind, metadata.name and the fields to own. The object may be
// anything that encoding/json can write: a map, a struct, a type of k8s.io/api, a json.RawMessage. What is left out of the
// options comes from spec.applyOptions of the owner.
func (c *ReconcileCall) Apply(object any, options ...ApplyOption) error {
	text, err := encode(object)
	if err != nil {
		return InvalidOutput("object to apply: %w", err)
	}
	c.host.Apply(text, applyOptions(options))
	return nil
}

// Delete asks for an object to be deleted. That it does not exist is no error. What is left out of the options is up to
// the API server.
func (c *ReconcileCall) Delete(id ObjectID, options ...DeleteOption) {
	c.host.Delete(id, deleteOptions(options))
}

// Group makes what emit emits one group, an item of the group around it. The group is closed however emit ends, and its
// error is returned.
func (c *ReconcileCall) Group(policy ErrorPolicy, emit func() error) error {
	c.host.OpenGroup(&policy)
	defer c.host.CloseGroup()
	return emit()
}

// GroupAsOutside is Group with the policy of the group around it; outside of all groups that is Continue.
func (c *ReconcileCall) GroupAsOutside(emit func() error) error {
	c.host.OpenGroup(nil)
	defer c.host.CloseGroup()
	return emit()
}

// RequeueAfter reconciles the same trigger and object again after this time, also if nothing changes. After a failure it
// takes the place of the back-off. The host may make it longer; a change that comes earlier is not held up. Rounded up to
// a millisecond, cut at 49 days.
func (c *ReconcileCall) RequeueAfter(after time.Duration) { c.host.RequeueAfter(after) }

// Message is one sentence for people, shown with Ready.
func (c *ReconcileCall) Message(text string) { c.host.SetMessage(text) }

// ConditionStatus says whether a condition holds.
type ConditionStatus = host.ConditionStatus

// The values of a condition.
const (
	True    = host.True
	False   = host.False
	Unknown = host.Unknown
)

// Condition is one condition in the status of the owner.
type Condition = host.Condition

// SetCondition sets one condition in the owner's status; conditions that are not set again are removed. Of several calls,
// False is shown before Unknown before True, so give conditions a positive sense: Synced, not OutOfSync.
func (c *ReconcileCall) SetCondition(condition Condition) { c.host.SetCondition(condition) }

// Waiting says that what was emitted is right, but the whole is not there yet: the owner is Reconciling and not Ready.
func (c *ReconcileCall) Waiting(reason, message string) { c.host.SetWaiting(reason, message) }

// Document is the result in the plugin's own form: espejote render prints it instead of the items emitted. Never applied.
func (c *ReconcileCall) Document(document any) error {
	text, err := encode(document)
	if err != nil {
		return Internal("document: %w", err)
	}
	c.host.SetDocument(text)
	return nil
}
