//go:build wasip1

package component

import (
	"bytes"
	"strings"
	"time"

	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_admission"
	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_desired"
	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_invocation"
	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_library"
	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_logging"
	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_provided"
	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_report"
	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_state"
	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_trigger"
	wit "espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_types"
	"espejote.io/sdk/go/internal/host"
	"espejote.io/sdk/go/internal/wit/runtime"
	"espejote.io/sdk/go/internal/wit/types"
)

// Host is the real host, for one call.
type Host struct{ open []*collection }

// Close gives back what the call has opened. A collection is good for its call only.
func (h *Host) Close() {
	for _, collection := range h.open {
		collection.Close()
	}
	h.open = nil
}

func (*Host) Owner() host.Owner {
	return runtime.Borrow(func() host.Owner {
		owner := espejote_plugin_invocation.Owner()
		return host.Owner{ID: idFrom(owner.Id), UID: strings.Clone(owner.Uid)}
	})
}

func (*Host) Config() string { return text(espejote_plugin_invocation.Config) }

func (*Host) KeepInstance() { espejote_plugin_invocation.KeepInstance() }

// bytesOr and its like carry a result out of Borrow.
type bytesOr struct {
	content []byte
	why     *host.FileError
}

func (*Host) ReadFile(path string) ([]byte, *host.FileError) {
	read := runtime.Borrow(func() bytesOr {
		result := espejote_plugin_library.Read(path)
		if result.Tag() == types.ResultErr {
			return bytesOr{why: fileError(result.Err())}
		}
		return bytesOr{content: bytes.Clone(result.Ok())}
	})
	return read.content, read.why
}

type revisionOr struct {
	revision host.Revision
	why      *host.FileError
}

func (*Host) FileRevision(path string) (host.Revision, *host.FileError) {
	read := runtime.Borrow(func() revisionOr {
		result := espejote_plugin_library.RevisionOf(path)
		if result.Tag() == types.ResultErr {
			return revisionOr{why: fileError(result.Err())}
		}
		return revisionOr{revision: host.Revision(result.Ok())}
	})
	return read.revision, read.why
}

func (*Host) LogEnabled(level host.Level) bool { return espejote_plugin_logging.Enabled(uint8(level)) }

func (*Host) Log(level host.Level, message string, fields [][2]string) {
	pairs := make([]types.Tuple2[string, string], len(fields))
	for i, field := range fields {
		pairs[i] = types.Tuple2[string, string]{F0: valid(field[0]), F1: valid(field[1])}
	}
	espejote_plugin_logging.Log(uint8(level), valid(message), pairs)
}

func (*Host) ContextNames() []string { return texts(espejote_plugin_state.Names) }

type collectionOr struct {
	collection *collection
	why        *host.Unavailable
}

func (h *Host) OpenContext(name string) (host.Collection, *host.Unavailable) {
	opened := runtime.Borrow(func() collectionOr {
		result := espejote_plugin_state.Open(name)
		if result.Tag() == types.ResultErr {
			return collectionOr{why: unavailable(result.Err())}
		}
		return collectionOr{collection: &collection{result.Ok()}}
	})
	if opened.why != nil {
		return nil, opened.why
	}
	h.open = append(h.open, opened.collection)
	return opened.collection, nil
}

func (*Host) ProvidedNames() []string { return texts(espejote_plugin_provided.Names) }

type textOr struct {
	text string
	why  *host.Unavailable
}

func (*Host) ProvidedValue(name string) (string, *host.Unavailable) {
	got := runtime.Borrow(func() textOr {
		result := espejote_plugin_provided.Get(name)
		if result.Tag() == types.ResultErr {
			return textOr{why: unavailable(result.Err())}
		}
		return textOr{text: strings.Clone(result.Ok())}
	})
	return got.text, got.why
}

func (*Host) TriggerName() *string   { return optionalText(espejote_plugin_trigger.Name) }
func (*Host) TriggerObject() *string { return optionalText(espejote_plugin_trigger.Object) }

func (*Host) TriggerEvent() *host.ObjectID {
	return runtime.Borrow(func() *host.ObjectID {
		event := espejote_plugin_trigger.Event()
		if event.Tag() == types.OptionNone {
			return nil
		}
		id := idFrom(event.Some())
		return &id
	})
}

func (*Host) Apply(object string, options *host.ApplyOptions) {
	if options == nil {
		espejote_plugin_desired.Apply(object, types.None[espejote_plugin_desired.ApplyOptions]())
		return
	}
	espejote_plugin_desired.Apply(object, types.Some(espejote_plugin_desired.ApplyOptions{
		FieldManager:       optionalValid(options.FieldManager),
		FieldManagerSuffix: optionalValid(options.FieldManagerSuffix),
		Force:              types.FromPointer(options.Force),
		FieldValidation:    types.FromPointer((*uint8)(options.FieldValidation)),
		Subresource:        optionalValid(options.Subresource),
	}))
}

func (*Host) Delete(id host.ObjectID, options *host.DeleteOptions) {
	if options == nil {
		espejote_plugin_desired.Delete(idTo(id), types.None[espejote_plugin_desired.DeleteOptions]())
		return
	}
	espejote_plugin_desired.Delete(idTo(id), types.Some(espejote_plugin_desired.DeleteOptions{
		GracePeriodSeconds:          types.FromPointer(options.GracePeriodSeconds),
		PropagationPolicy:           types.FromPointer((*uint8)(options.PropagationPolicy)),
		PreconditionUid:             optionalValid(options.PreconditionUID),
		PreconditionResourceVersion: optionalValid(options.PreconditionResourceVersion),
	}))
}

func (*Host) OpenGroup(policy *host.ErrorPolicy) {
	espejote_plugin_desired.OpenGroup(types.FromPointer((*uint8)(policy)))
}

func (*Host) CloseGroup() { espejote_plugin_desired.CloseGroup() }

func (*Host) RequeueAfter(after time.Duration) {
	espejote_plugin_report.RequeueAfter(milliseconds(after))
}

func (*Host) SetMessage(message string) { espejote_plugin_report.SetMessage(valid(message)) }

func (*Host) SetCondition(condition host.Condition) {
	espejote_plugin_report.SetCondition(espejote_plugin_report.Condition{
		Type:    valid(condition.Type),
		Status:  uint8(condition.Status),
		Reason:  valid(condition.Reason),
		Message: valid(condition.Message),
	})
}

func (*Host) SetWaiting(reason, message string) {
	espejote_plugin_report.SetWaiting(valid(reason), valid(message))
}

func (*Host) SetDocument(document string) { espejote_plugin_report.SetDocument(valid(document)) }
func (*Host) Warn(message string)         { espejote_plugin_admission.Warn(valid(message)) }

func (*Host) Annotate(key, value string) {
	espejote_plugin_admission.Annotate(valid(key), valid(value))
}

func fileError(err espejote_plugin_library.ReadError) *host.FileError {
	return &host.FileError{Reason: host.FileErrorReason(err.Reason), Message: strings.Clone(err.Message)}
}

func unavailable(err wit.Unavailable) *host.Unavailable {
	return &host.Unavailable{Reason: host.UnavailableReason(err.Reason), Message: strings.Clone(err.Message)}
}
