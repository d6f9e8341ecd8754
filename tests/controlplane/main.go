// Command controlplane is a Kubernetes control plane in one binary, for tests
// and the demo.
//
// Its first argument says what it is: one of the components (see
// components.go), or a command that runs them together (see package plane).
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"espejote.io/tests/controlplane/plane"
)

const usage = `controlplane is a Kubernetes control plane in one binary.

  controlplane up [flags]       run a control plane; "up --help" lists the flags
  controlplane down --dir DIR   end the control plane of a data directory

  controlplane etcd|kube-apiserver|kube-controller-manager|kubectl ARG...
  controlplane registry FILE    run one component; a registry takes its configuration file
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	name, args := os.Args[1], os.Args[2:]
	if run, ok := components[name]; ok {
		// Every component parses os.Args by itself.
		os.Args = append([]string{name}, args...)
		run()
		return
	}
	os.Exit(command(name, args))
}

// command runs one of the commands that are not components and returns the
// exit status.
func command(name string, args []string) int {
	var err error
	switch name {
	case "up":
		err = plane.Up(args, os.Stdout)
	case "down":
		err = plane.Down(args)
	case "help", "-h", "--help":
		fmt.Print(usage)
	default:
		fmt.Fprintf(os.Stderr, "unknown command %q\n\n%s", name, usage)
		return 2
	}
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		program := filepath.Base(os.Args[0])
		fmt.Fprintf(os.Stderr, "%s %s: %s\n", program, name, strings.TrimRight(err.Error(), "\n"))
		return 1
	}
	return 0
}
