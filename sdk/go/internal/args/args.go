//go:build wasip1

// Package args gives a plugin the name of a program, which the host does not. Some packages look at os.Args[0] while they are
// being initialised: k8s.io/klog, which comes with every type of k8s.io/api, panics without it.
//
// It imports nothing but os, so that it is initialised before packages whose path comes later in the alphabet.
package args

import "os"

func init() {
	if len(os.Args) == 0 {
		os.Args = []string{"plugin"}
	}
}
