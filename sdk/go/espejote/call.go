package espejote

import (
	"encoding/json"
	"log/slog"

	"espejote.io/sdk/go/internal/host"
)

// ObjectID names one object of the cluster.
type ObjectID = host.ObjectID

// Owner is the ManagedResource, Admission or ClusterAdmission that uses the plugin.
type Owner = host.Owner

// Revision stands for a content: equal revisions mean equal bytes, for as long as this instance lives. They have no order.
type Revision = host.Revision

// Call is what every role may use. It is good until the role's function returns, and for the goroutine that called it and
// those that end before.
type Call struct {
	host host.Host
	log  *slog.Logger
}

func newCall(of host.Host) Call {
	return Call{host: of, log: slog.New(NewHandler(of))}
}

// Owner is on whose behalf this call runs.
func (c *Call) Owner() Owner { return c.host.Owner() }

// Config decodes the config that the manifest gives. A field that the type lacks is an invalid config, so that a misspelt one
// is found. Without config nothing is decoded: into keeps what it holds, its defaults.
func (c *Call) Config(into any) error {
	if err := decode(c.ConfigJSON(), into, true); err != nil {
		return InvalidConfig("config: %w", err)
	}
	return nil
}

// ConfigJSON is the config as JSON; null if there is none. It does not change while this instance lives.
func (c *Call) ConfigJSON() json.RawMessage { return json.RawMessage(c.host.Config()) }

// KeepInstance allows the host to use this instance for a later call with the same owner and config. To be called anew in
// each call; a wish only.
//
// What is kept (in package variables) must be a cache, recognised by [Revision]: the result of a call depends on what that
// call reads, not on the calls before it.
func (c *Call) KeepInstance() { c.host.KeepInstance() }

// Log writes to the operator's log; so does slog's default logger while a call runs. The message is constant text; what
// varies goes into attributes. No contents of Secrets.
func (c *Call) Log() *slog.Logger { return c.log }

// ReadFile is a file of a JsonnetLibrary: <library>/<key> in the owner's namespace, or lib/<library>/<key> in the library
// namespace of the operator.
func (c *Call) ReadFile(path string) ([]byte, error) {
	content, why := c.host.ReadFile(path)
	if why != nil {
		return nil, fileError(path, why)
	}
	return content, nil
}

// FileRevision tells, without reading the file, whether what a kept instance remembers of it is still right.
func (c *Call) FileRevision(path string) (Revision, error) {
	revision, why := c.host.FileRevision(path)
	if why != nil {
		return 0, fileError(path, why)
	}
	return revision, nil
}

// ContextNames are the names of all contexts that hold objects, in the order of the manifest; available or not.
func (c *Call) ContextNames() []string { return c.host.ContextNames() }

// Context is the objects of one context. The error is an [UnavailableError]: never the same as "there are none".
func (c *Call) Context(name string) (*Collection, error) {
	collection, why := c.host.OpenContext(name)
	if why != nil {
		return nil, unavailable(name, why)
	}
	return &Collection{name: name, host: collection}, nil
}

// provided is for the roles that may read what providers computed.
type provided struct{ host host.Host }

// ProvidedNames are the names of all entries of context that another plugin computes, in the order of the manifest.
func (p provided) ProvidedNames() []string { return p.host.ProvidedNames() }

// Provided decodes the value that another plugin computed. Its provider runs at most once for a call. The error is an
// [UnavailableError] with the words of the provider, or says that the value does not fit.
func (p provided) Provided(name string, into any) error {
	text, err := p.ProvidedJSON(name)
	if err != nil {
		return err
	}
	if err := decode(text, into, false); err != nil {
		return InvalidInput("provided context %q: %w", name, err)
	}
	return nil
}

// ProvidedJSON is the value that another plugin computed, as JSON.
func (p provided) ProvidedJSON(name string) (json.RawMessage, error) {
	text, why := p.host.ProvidedValue(name)
	if why != nil {
		return nil, unavailable(name, why)
	}
	return json.RawMessage(text), nil
}
