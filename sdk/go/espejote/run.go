package espejote

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"espejote.io/sdk/go/internal/host"
)

// RunReconcile calls a reconciler. The four functions RunX are for package espejotetest and the component; a plugin
// does not need them.
func RunReconcile(of host.Host, reconcile func(*ReconcileCall) error) *host.Failure {
	return guarded(of, func() error {
		if reconcile == nil {
			return notRegistered("Reconcile")
		}
		return reconcile(newReconcileCall(of))
	})
}

// RunAdmit calls an admitter.
func RunAdmit(of host.Host, admit func(*AdmitCall) (Decision, error), request string) (answer *host.Decision, failure *host.Failure) {
	failure = guarded(of, func() error {
		if admit == nil {
			return notRegistered("Admit")
		}
		call := &AdmitCall{Call: newCall(of), provided: provided{of}, host: of, request: request}
		decision, err := admit(call)
		if err != nil {
			return err
		}
		answer, err = decision.forHost()
		return err
	})
	return answer, failure
}

// RunProvide calls a provider.
func RunProvide(of host.Host, provide func(*ProvideCall) (any, error)) (value string, failure *host.Failure) {
	failure = guarded(of, func() error {
		if provide == nil {
			return notRegistered("Provide")
		}
		result, err := provide(&ProvideCall{newCall(of)})
		if err != nil {
			return err
		}
		if text, isString := result.(string); isString {
			result = json.RawMessage(quoted(text))
		}
		value, err = encode(result)
		return As(KindInvalidOutput, err)
	})
	return value, failure
}

// RunConfiguration calls Schema and Validate, whose exports cannot fail: a panic becomes a problem.
func RunConfiguration(of host.Host, plugin Plugin, role string, config *string) (schema string, problems []Problem) {
	failure := guarded(of, func() error {
		if config == nil && plugin.Schema != nil {
			schema = plugin.Schema(role)
		}
		if config != nil && plugin.Validate != nil {
			problems = plugin.Validate(role, json.RawMessage(*config))
		}
		return nil
	})
	if failure != nil {
		problems = []Problem{{Message: failure.Message}}
	}
	return schema, problems
}

// guarded makes what went wrong a failure: an error by its kind, a panic as internal, with the stack on standard error.
func guarded(of host.Host, run func() error) (failure *host.Failure) {
	slog.SetDefault(slog.New(NewHandler(of)))
	defer func() {
		if panicked := recover(); panicked != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", panicked, debug.Stack())
			failure = &host.Failure{Kind: KindInternal, Message: fmt.Sprintf("panic: %v", panicked)}
		}
	}()
	if err := run(); err != nil {
		return &host.Failure{Kind: KindOf(err), Message: err.Error()}
	}
	return nil
}

func notRegistered(field string) error {
	return Internal("this component exports a role that the plugin does not have: espejote.Plugin.%s is nil", field)
}

func quoted(text string) []byte {
	quoted, _ := json.Marshal(text) // a string can always be written
	return quoted
}
