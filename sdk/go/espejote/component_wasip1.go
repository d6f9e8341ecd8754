package espejote

import (
	_ "espejote.io/sdk/go/internal/args"                         // os.Args
	_ "espejote.io/sdk/go/internal/bindings/exports/wit_exports" // the component's exports
	"espejote.io/sdk/go/internal/component"
	"espejote.io/sdk/go/internal/host"
)

func init() {
	component.Registered = component.Roles{
		Reconcile: func(of host.Host) *host.Failure { return RunReconcile(of, registered.Reconcile) },
		Admit: func(of host.Host, request string) (*host.Decision, *host.Failure) {
			return RunAdmit(of, registered.Admit, request)
		},
		Provide: func(of host.Host) (string, *host.Failure) { return RunProvide(of, registered.Provide) },
		Schema: func(of host.Host, role string) string {
			schema, _ := RunConfiguration(of, registered, role, nil)
			return schema
		},
		Validate: func(of host.Host, role, config string) []host.Problem {
			_, problems := RunConfiguration(of, registered, role, &config)
			return problems
		},
	}
}
