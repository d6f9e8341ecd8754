package espejote

import "espejote.io/sdk/go/internal/host"

// ApplyOption is one option of [ReconcileCall.Apply].
type ApplyOption func(*host.ApplyOptions)

// FieldManager says who owns the fields.
func FieldManager(name string) ApplyOption {
	return func(o *host.ApplyOptions) { o.FieldManager = &name }
}

// FieldManagerSuffix is appended to the field manager, whichever it is; it gives one owner several managers.
func FieldManagerSuffix(suffix string) ApplyOption {
	return func(o *host.ApplyOptions) { o.FieldManagerSuffix = &suffix }
}

// Force says whether to take fields over from other managers. False is a value too: it wins over the owner's true.
func Force(force bool) ApplyOption {
	return func(o *host.ApplyOptions) { o.Force = &force }
}

// FieldValidation says how the API server treats unknown and duplicate fields.
type FieldValidation = host.FieldValidation

// The values of [ValidateFields].
const (
	FieldsIgnore = host.FieldsIgnore
	FieldsWarn   = host.FieldsWarn
	FieldsStrict = host.FieldsStrict
)

// ValidateFields says how the API server treats unknown and duplicate fields.
func ValidateFields(how FieldValidation) ApplyOption {
	return func(o *host.ApplyOptions) { o.FieldValidation = &how }
}

// Subresource applies to this subresource, such as status, instead of the object itself.
func Subresource(name string) ApplyOption {
	return func(o *host.ApplyOptions) { o.Subresource = &name }
}

// DeleteOption is one option of [ReconcileCall.Delete].
type DeleteOption func(*host.DeleteOptions)

// GracePeriodSeconds is how long the object may take to end.
func GracePeriodSeconds(seconds uint32) DeleteOption {
	return func(o *host.DeleteOptions) { o.GracePeriodSeconds = &seconds }
}

// PropagationPolicy says what becomes of an object's dependents when it is deleted.
type PropagationPolicy = host.PropagationPolicy

// The values of [Propagate].
const (
	Background = host.Background
	Foreground = host.Foreground
	Orphan     = host.Orphan
)

// Propagate says what becomes of the object's dependents.
func Propagate(policy PropagationPolicy) DeleteOption {
	return func(o *host.DeleteOptions) { o.PropagationPolicy = &policy }
}

// OnlyUID deletes only the object with this uid.
func OnlyUID(uid string) DeleteOption {
	return func(o *host.DeleteOptions) { o.PreconditionUID = &uid }
}

// OnlyResourceVersion deletes only this version of the object.
func OnlyResourceVersion(version string) DeleteOption {
	return func(o *host.DeleteOptions) { o.PreconditionResourceVersion = &version }
}

func applyOptions(options []ApplyOption) *host.ApplyOptions {
	if len(options) == 0 {
		return nil
	}
	all := new(host.ApplyOptions)
	for _, option := range options {
		option(all)
	}
	return all
}

func deleteOptions(options []DeleteOption) *host.DeleteOptions {
	if len(options) == 0 {
		return nil
	}
	all := new(host.DeleteOptions)
	for _, option := range options {
		option(all)
	}
	return all
}
