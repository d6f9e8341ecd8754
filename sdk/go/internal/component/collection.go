//go:build wasip1

package component

import (
	"encoding/json"
	"slices"
	"strings"

	"espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_state"
	"espejote.io/sdk/go/internal/host"
	"espejote.io/sdk/go/internal/wit/runtime"
	"espejote.io/sdk/go/internal/wit/types"
)

type collection struct {
	wit *espejote_plugin_state.Collection
}

func (c *collection) Len() uint32             { return c.wit.Len() }
func (c *collection) Revision() host.Revision { return host.Revision(c.wit.Revision()) }
func (c *collection) Close()                  { c.wit.Drop() }

func (c *collection) Revisions() []host.Revision {
	return runtime.Borrow(func() []host.Revision {
		revisions := c.wit.Revisions()
		list := make([]host.Revision, len(revisions))
		for i, revision := range revisions {
			list[i] = host.Revision(revision)
		}
		return list
	})
}

func (c *collection) Find(namespace, name string) (uint32, bool) {
	found := c.wit.Find(namespace, name)
	return found.Some(), found.Tag() == types.OptionSome
}

type indicesOr struct {
	indices []uint32
	wrong   string
}

func (c *collection) Select(namespace *string, labelSelector string) ([]uint32, string) {
	selected := runtime.Borrow(func() indicesOr {
		result := c.wit.Select(types.FromPointer(namespace), labelSelector)
		if result.Tag() == types.ResultErr {
			return indicesOr{wrong: reason(result.Err())}
		}
		return indicesOr{indices: slices.Clone(result.Ok())}
	})
	return selected.indices, selected.wrong
}

func (c *collection) IDs(indices []uint32) []host.ObjectID {
	return runtime.Borrow(func() []host.ObjectID {
		ids := c.wit.Ids(indices)
		list := make([]host.ObjectID, len(ids))
		for i, id := range ids {
			list[i] = idFrom(id)
		}
		return list
	})
}

func (c *collection) Read(indices []uint32) []json.RawMessage {
	return documents(func() []string { return c.wit.Read(indices) })
}

func (c *collection) Scan(start, maxBytes uint32) []json.RawMessage {
	return documents(func() []string { return c.wit.Scan(start, maxBytes) })
}

func documents(ask func() []string) []json.RawMessage {
	return runtime.Borrow(func() []json.RawMessage {
		texts := ask()
		documents := make([]json.RawMessage, len(texts))
		for i, text := range texts {
			documents[i] = json.RawMessage(text) // a copy
		}
		return documents
	})
}

type valuesOr struct {
	values []json.RawMessage
	wrong  string
}

func (c *collection) Values(indices []uint32, pointer string) ([]json.RawMessage, string) {
	read := runtime.Borrow(func() valuesOr {
		result := c.wit.Values(indices, pointer)
		if result.Tag() == types.ResultErr {
			return valuesOr{wrong: reason(result.Err())}
		}
		values := make([]json.RawMessage, len(result.Ok()))
		for i, value := range result.Ok() {
			if value.Tag() == types.OptionSome {
				values[i] = json.RawMessage(value.Some()) // a copy
			}
		}
		return valuesOr{values: values}
	})
	return read.values, read.wrong
}

// reason is never empty: an empty text means that nothing is wrong.
func reason(text string) string {
	if text == "" {
		return "the host does not say what is wrong"
	}
	return strings.Clone(text)
}
