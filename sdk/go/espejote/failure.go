package espejote

import (
	"errors"
	"fmt"

	"espejote.io/sdk/go/internal/host"
)

// FailureKind decides what the host does next; see its values.
type FailureKind = host.FailureKind

// The kinds of failures.
const (
	// KindInternal is for anything else, bugs included: not ready, tried again with back-off.
	KindInternal = host.Internal
	// KindInvalidConfig is for a config that cannot work: stalled, not tried again until its config changes.
	KindInvalidConfig = host.InvalidConfig
	// KindInvalidInput is for something read from the cluster that cannot be used: stalled, tried again when something
	// that the call could read changes, and at the longest back-off.
	KindInvalidInput = host.InvalidInput
	// KindInvalidOutput is for a result that breaks a rule: tried again as KindInvalidInput.
	KindInvalidOutput = host.InvalidOutput
	// KindNotReady is for something needed that is not there yet: reconciling without an event, tried again with
	// back-off, or after [ReconcileCall.RequeueAfter].
	KindNotReady = host.NotReady
)

// Failure is an error that says what the host does next. It may be wrapped; the whole text is shown.
type Failure struct {
	Kind FailureKind
	// Err says which object or path, and what was expected. No contents of Secrets.
	Err error
}

// Error is the text for people.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Err }

// InvalidConfig says that the config cannot work. The arguments are those of fmt.Errorf.
func InvalidConfig(format string, args ...any) error { return failure(KindInvalidConfig, format, args) }

// InvalidInput says that something read from the cluster cannot be used. The arguments are those of fmt.Errorf.
func InvalidInput(format string, args ...any) error { return failure(KindInvalidInput, format, args) }

// InvalidOutput says that the result breaks a rule. The arguments are those of fmt.Errorf.
func InvalidOutput(format string, args ...any) error { return failure(KindInvalidOutput, format, args) }

// NotReady says that something needed is not there yet. The arguments are those of fmt.Errorf.
func NotReady(format string, args ...any) error { return failure(KindNotReady, format, args) }

// Internal says that anything else went wrong. The arguments are those of fmt.Errorf.
func Internal(format string, args ...any) error { return failure(KindInternal, format, args) }

func failure(kind FailureKind, format string, args []any) error {
	return &Failure{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// As gives an error of another package a kind. Nil stays nil.
func As(kind FailureKind, err error) error {
	if err == nil {
		return nil
	}
	return &Failure{Kind: kind, Err: err}
}

// KindOf is the kind of an error: that of the outermost [Failure] in it, else [KindInternal].
func KindOf(err error) FailureKind {
	var failure *Failure
	if errors.As(err, &failure) {
		return failure.Kind
	}
	return KindInternal
}

// UnavailableReason says why a context cannot be had.
type UnavailableReason = host.UnavailableReason

// The reasons why a context cannot be had.
const (
	// UnknownName: the manifest defines nothing of this name, or of another sort.
	UnknownName = host.UnknownName
	// NotSynced: not filled yet, or no longer kept up to date. Never taken for empty.
	NotSynced = host.NotSynced
	// Forbidden: the ServiceAccount may not read it.
	Forbidden = host.Forbidden
	// Failed: anything else, such as a kind that the cluster does not know or a provider that failed.
	Failed = host.Failed
)

// UnavailableError means that a context cannot be had, as opposed to "there is none". It comes within a [Failure]:
// not ready while the context is being filled, invalid input otherwise.
type UnavailableError struct {
	// Name is that of the context.
	Name   string
	Reason UnavailableReason
	// Message has the words of the API server, or of the provider.
	Message string
}

// Error is the text for people.
func (e *UnavailableError) Error() string { return e.Message }

func unavailable(name string, why *host.Unavailable) error {
	kind := KindInvalidInput
	if why.Reason == NotSynced {
		kind = KindNotReady
	}
	return &Failure{Kind: kind, Err: &UnavailableError{Name: name, Reason: why.Reason, Message: why.Message}}
}

// FileErrorReason says why a file of a library cannot be read.
type FileErrorReason = host.FileErrorReason

// The reasons why a file of a library cannot be read.
const (
	// FileInvalidPath: neither <library>/<key> nor lib/<library>/<key>.
	FileInvalidPath = host.FileInvalidPath
	// FileNoNamespace: a path in the owner's namespace, and the owner has none.
	FileNoNamespace = host.FileNoNamespace
	// FileNoLibrary: there is no such library.
	FileNoLibrary = host.FileNoLibrary
	// FileNoKey: the library has no such key.
	FileNoKey = host.FileNoKey
	// FileUnavailable: libraries cannot be read now, or not with these rights.
	FileUnavailable = host.FileUnavailable
	// FileFailed: anything else.
	FileFailed = host.FileFailed
)

// FileError tells why a file of a library cannot be read. It comes within a [Failure]: not ready if libraries cannot be
// read now, invalid input otherwise.
type FileError struct {
	Path    string
	Reason  FileErrorReason
	Message string
}

// Error is the text for people.
func (e *FileError) Error() string { return e.Message }

func fileError(path string, why *host.FileError) error {
	kind := KindInvalidInput
	if why.Reason == FileUnavailable {
		kind = KindNotReady
	}
	return &Failure{Kind: kind, Err: &FileError{Path: path, Reason: why.Reason, Message: why.Message}}
}
