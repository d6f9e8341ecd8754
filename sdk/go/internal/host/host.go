// Package host says what a call may ask of its host, in Go's words: one method for each function that the contract lets a
// plugin import, and the records that go with them.
//
// Two things implement Host: the component's bindings (package component) and the in-memory host of package
// espejotetest. Package espejote is written against it alone, and passes these types on under its own name.
package host

import (
	"encoding/json"
	"time"
)

// Host answers one call of a plugin.
type Host interface {
	Invocation
	Library
	Logging
	State
	Provided
	Trigger
	Desired
	Report
	Admission
}

// Invocation is the call being served.
type Invocation interface {
	Owner() Owner
	Config() string
	KeepInstance()
}

// Library holds files that people keep in JsonnetLibrary objects.
type Library interface {
	ReadFile(path string) ([]byte, *FileError)
	FileRevision(path string) (Revision, *FileError)
}

// Logging takes lines for the operator's log.
type Logging interface {
	LogEnabled(level Level) bool
	Log(level Level, message string, fields [][2]string)
}

// State is the cluster state that the manifest lists under context.
type State interface {
	ContextNames() []string
	OpenContext(name string) (Collection, *Unavailable)
}

// Collection holds the objects of one context. An index out of range ends the call.
type Collection interface {
	Len() uint32
	Revision() Revision
	Revisions() []Revision
	Find(namespace, name string) (uint32, bool)
	// Select takes nil for all namespaces. The text is what is wrong with the selector.
	Select(namespace *string, labelSelector string) ([]uint32, string)
	IDs(indices []uint32) []ObjectID
	// Read and its like give bytes that are the caller's.
	Read(indices []uint32) []json.RawMessage
	Scan(start, maxBytes uint32) []json.RawMessage
	// Values has nil where there is no value. The text is what is wrong with the pointer.
	Values(indices []uint32, pointer string) ([]json.RawMessage, string)
	// Close gives the collection back to the host.
	Close()
}

// Provided holds the entries of context that other plugins compute.
type Provided interface {
	ProvidedNames() []string
	ProvidedValue(name string) (string, *Unavailable)
}

// Trigger is what started a reconcile. Nil: there is none.
type Trigger interface {
	TriggerName() *string
	TriggerEvent() *ObjectID
	TriggerObject() *string
}

// Desired takes what the cluster should look like.
type Desired interface {
	Apply(object string, options *ApplyOptions)
	Delete(id ObjectID, options *DeleteOptions)
	OpenGroup(policy *ErrorPolicy)
	CloseGroup()
}

// Report takes what else there is to tell about a reconcile.
type Report interface {
	RequeueAfter(after time.Duration)
	SetMessage(message string)
	SetCondition(condition Condition)
	SetWaiting(reason, message string)
	SetDocument(document string)
}

// Admission takes what to add to the answer to an admission request.
type Admission interface {
	Warn(message string)
	Annotate(key, value string)
}
