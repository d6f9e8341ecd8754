//go:build wasip1

package component

import (
	"math"
	"strings"
	"time"

	wit "espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_types"
	"espejote.io/sdk/go/internal/host"
	"espejote.io/sdk/go/internal/wit/runtime"
	"espejote.io/sdk/go/internal/wit/types"
)

// text is what an import returns, copied.
func text(ask func() string) string {
	return runtime.Borrow(func() string { return strings.Clone(ask()) })
}

func texts(ask func() []string) []string {
	return runtime.Borrow(func() []string {
		list := ask()
		for i := range list {
			list[i] = strings.Clone(list[i])
		}
		return list
	})
}

func optionalText(ask func() types.Option[string]) *string {
	return runtime.Borrow(func() *string { return copied(ask()) })
}

func copied(text types.Option[string]) *string {
	if text.Tag() == types.OptionNone {
		return nil
	}
	copy := strings.Clone(text.Some())
	return &copy
}

func idFrom(id wit.ObjectId) host.ObjectID {
	return host.ObjectID{
		APIVersion: strings.Clone(id.ApiVersion), Kind: strings.Clone(id.Kind),
		Namespace: strings.Clone(id.Namespace), Name: strings.Clone(id.Name),
	}
}

func idTo(id host.ObjectID) wit.ObjectId {
	return wit.ObjectId{
		ApiVersion: valid(id.APIVersion), Kind: valid(id.Kind), Namespace: valid(id.Namespace), Name: valid(id.Name),
	}
}

// valid is text that the host takes: a string of Go may hold bytes that are no UTF-8, which would end the call.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func optionalValid(text *string) types.Option[string] {
	if text == nil {
		return types.None[string]()
	}
	return types.Some(valid(*text))
}

// milliseconds rounds up, so that nothing is asked for too early.
func milliseconds(after time.Duration) uint32 {
	if after <= 0 {
		return 0
	}
	count := (uint64(after) + uint64(time.Millisecond) - 1) / uint64(time.Millisecond)
	return uint32(min(count, math.MaxUint32))
}

// FailureTo is a failure as the contract has it.
func FailureTo(failure *host.Failure) wit.Failure {
	kinds := map[host.FailureKind]wit.FailureKind{
		host.InvalidConfig: wit.FailureKind_InvalidConfig,
		host.InvalidInput:  wit.FailureKind_InvalidInput,
		host.InvalidOutput: wit.FailureKind_InvalidOutput,
		host.NotReady:      wit.FailureKind_NotReady,
		host.Internal:      wit.FailureKind_Internal,
	}
	return wit.Failure{Kind: kinds[failure.Kind], Message: valid(failure.Message)}
}

// Valid is text that the host takes.
func Valid(text string) string { return valid(text) }
