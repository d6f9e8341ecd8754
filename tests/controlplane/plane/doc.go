// Package plane runs a control plane from the components of this binary: etcd,
// the API server, the controller manager and an OCI registry, each a child
// process in one data directory, all of them on 127.0.0.1.
//
// Up starts at up.go; supervisor.go has the order in which things start and
// end. Each component has a file that says with which arguments it runs and
// when it is ready.
package plane
