package host

// Revision stands for a content: equal revisions mean equal bytes, for as long as this instance lives. They have no order.
type Revision uint64

// ObjectID names one object of the cluster.
type ObjectID struct {
	// APIVersion is group/version, or v1 for the core group.
	APIVersion string
	Kind       string
	// Namespace is empty for cluster-scoped kinds. In what a plugin emits, empty for a namespaced kind means the
	// namespace of the owner.
	Namespace string
	Name      string
}

// Owner is the ManagedResource, Admission or ClusterAdmission that uses the plugin.
type Owner struct {
	// ID names it; its namespace is the default for what the call emits.
	ID  ObjectID
	UID string
}

// Reference is an entry for metadata.ownerReferences, so that what is emitted goes when the owner goes. Good for objects in
// the owner's namespace, and for cluster-scoped ones if the owner is cluster-scoped.
func (o Owner) Reference() map[string]any {
	return map[string]any{"apiVersion": o.ID.APIVersion, "kind": o.ID.Kind, "name": o.ID.Name, "uid": o.UID}
}

// FailureKind decides what the host does next. The zero value is Internal.
type FailureKind uint8

const (
	// Internal is for anything else, bugs included: not ready, tried again with back-off.
	Internal FailureKind = iota
	// InvalidConfig is for a config that cannot work: stalled, not tried again until its config changes.
	InvalidConfig
	// InvalidInput is for something read from the cluster that cannot be used: stalled, tried again when something that
	// the call could read changes, and at the longest back-off.
	InvalidInput
	// InvalidOutput is for a result that breaks a rule: as InvalidInput.
	InvalidOutput
	// NotReady is for something needed that is not there yet: reconciling without an event, tried again with back-off
	// or after RequeueAfter.
	NotReady
)

// String is the kind as the contract spells it.
func (k FailureKind) String() string {
	switch k {
	case InvalidConfig:
		return "invalid-config"
	case InvalidInput:
		return "invalid-input"
	case InvalidOutput:
		return "invalid-output"
	case NotReady:
		return "not-ready"
	default:
		return "internal"
	}
}

// Failure is what an export returns instead of a result.
type Failure struct {
	Kind    FailureKind
	Message string
}

// UnavailableReason says why a context cannot be had.
type UnavailableReason uint8

const (
	// UnknownName: the manifest defines nothing of this name, or of another sort.
	UnknownName UnavailableReason = iota
	// NotSynced: not filled yet, or no longer kept up to date. Never taken for empty.
	NotSynced
	// Forbidden: the ServiceAccount may not read it.
	Forbidden
	// Failed: anything else, such as a kind that the cluster does not know or a provider that failed.
	Failed
)

// Unavailable means "cannot be had", as opposed to "there is none".
type Unavailable struct {
	Reason  UnavailableReason
	Message string
}

// FileErrorReason says why a file of a library cannot be read.
type FileErrorReason uint8

const (
	// FileInvalidPath: neither <library>/<key> nor lib/<library>/<key>.
	FileInvalidPath FileErrorReason = iota
	// FileNoNamespace: a path in the owner's namespace, and the owner has none.
	FileNoNamespace
	// FileNoLibrary: there is no such library.
	FileNoLibrary
	// FileNoKey: the library has no such key.
	FileNoKey
	// FileUnavailable: libraries cannot be read now, or not with these rights.
	FileUnavailable
	// FileFailed: anything else.
	FileFailed
)

// FileError tells why a file of a library cannot be read.
type FileError struct {
	Reason  FileErrorReason
	Message string
}

// Level is that of a line in the log.
type Level uint8

// The levels, in the contract's order.
const (
	Trace Level = iota
	Debug
	Info
	Warn
	Error
)

// ErrorPolicy says what becomes of the rest of a group after an error at one of its items.
type ErrorPolicy uint8

const (
	// Continue carries on and reports all errors at the end.
	Continue ErrorPolicy = iota
	// Abort leaves out the rest of the group. For the group around it, this group is one item with an error.
	Abort
)

// FieldValidation says how the API server treats unknown and duplicate fields.
type FieldValidation uint8

// The values of FieldValidation, as Kubernetes has them.
const (
	FieldsIgnore FieldValidation = iota
	FieldsWarn
	FieldsStrict
)

// PropagationPolicy says what becomes of an object's dependents when it is deleted.
type PropagationPolicy uint8

// The values of PropagationPolicy, as Kubernetes has them.
const (
	Background PropagationPolicy = iota
	Foreground
	Orphan
)

// ApplyOptions has nil for what is left out.
type ApplyOptions struct {
	FieldManager, FieldManagerSuffix *string
	Force                            *bool
	FieldValidation                  *FieldValidation
	Subresource                      *string
}

// DeleteOptions has nil for what is left out.
type DeleteOptions struct {
	GracePeriodSeconds                           *uint32
	PropagationPolicy                            *PropagationPolicy
	PreconditionUID, PreconditionResourceVersion *string
}

// ConditionStatus says whether a condition holds.
type ConditionStatus uint8

// The values of ConditionStatus, as Kubernetes has them.
const (
	True ConditionStatus = iota
	False
	Unknown
)

// Condition is one condition in the status of the owner.
type Condition struct {
	// Type is CamelCase. Ready, Reconciling and Stalled are the host's: using them makes the call fail.
	Type   string
	Status ConditionStatus
	// Reason is one CamelCase word for programs.
	Reason string
	// Message is for people.
	Message string
}

// Problem is one thing that is wrong with a config.
type Problem struct {
	// Path is a JSON pointer (RFC 6901) into the config; empty for the whole.
	Path string
	// Message is for people: what was expected.
	Message string
}

// Decision is the answer to an admission request.
type Decision struct {
	Allowed bool
	// Code is the HTTP status code in the answer. Nil: 200 if allowed, 403 if not.
	Code *uint16
	// Message is for the user who sent the request. Empty: none.
	Message string
	// Patch is a JSON patch, Object the whole object as it should be. At most one is set, and none if not allowed.
	Patch, Object *string
}
