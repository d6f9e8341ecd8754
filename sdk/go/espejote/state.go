package espejote

import (
	"encoding/json"
	"iter"

	"espejote.io/sdk/go/internal/host"
)

// pageBytes is how much Each and Objects ask for at a time.
const pageBytes = 256 * 1024

// Collection holds objects, ordered by namespace, then name. An object is named by its index, which is good for this
// collection only. An index out of range, or use after the call, ends the call.
type Collection struct {
	name string
	host host.Collection
}

// Len is how many objects there are.
func (c *Collection) Len() int { return int(c.host.Len()) }

// All is every index.
func (c *Collection) All() []uint32 {
	indices := make([]uint32, c.host.Len())
	for i := range indices {
		indices[i] = uint32(i)
	}
	return indices
}

// Revision stands for the whole: equal means the same objects, the same bytes and the same indices.
func (c *Collection) Revision() Revision { return c.host.Revision() }

// Revisions are those of every object, by index. With them a kept instance reads only what changed.
func (c *Collection) Revisions() []Revision { return c.host.Revisions() }

// Find is the index of one object; namespace is empty for cluster-scoped kinds.
func (c *Collection) Find(namespace, name string) (uint32, bool) { return c.host.Find(namespace, name) }

// Select gives the indices, ascending, of the objects that match a label selector, in all namespaces. It is written as for
// kubectl -l; the empty one matches all. The host's index answers: no object is parsed.
func (c *Collection) Select(labelSelector string) ([]uint32, error) {
	return c.selected(nil, labelSelector)
}

// SelectIn is Select within one namespace; the empty one holds what is cluster-scoped.
func (c *Collection) SelectIn(namespace, labelSelector string) ([]uint32, error) {
	return c.selected(&namespace, labelSelector)
}

func (c *Collection) selected(namespace *string, labelSelector string) ([]uint32, error) {
	indices, wrong := c.host.Select(namespace, labelSelector)
	if wrong != "" {
		return nil, InvalidInput("label selector %q for context %q: %s", labelSelector, c.name, wrong)
	}
	return indices, nil
}

// IDs are type, namespace and name of the given objects, in the given order.
func (c *Collection) IDs(indices []uint32) []ObjectID { return c.host.IDs(indices) }

// Read gives the given objects as JSON, in the given order. It ends the call if they cannot fit into the memory allowed
// to the instance: [Collection.Each] goes through any number of them.
func (c *Collection) Read(indices []uint32) []json.RawMessage {
	return c.host.Read(indices)
}

// Scan gives the objects from start on, as JSON: as many as fit into maxBytes, but at least one. Empty only at the end.
func (c *Collection) Scan(start, maxBytes uint32) []json.RawMessage {
	return c.host.Scan(start, maxBytes)
}

// Each is all objects as JSON, by index, fetched in pages so that no more than a page of text is held at a time.
func (c *Collection) Each() iter.Seq2[uint32, json.RawMessage] {
	return func(yield func(uint32, json.RawMessage) bool) {
		index, end := uint32(0), c.host.Len()
		for index < end {
			for _, text := range c.host.Scan(index, pageBytes) {
				if !yield(index, text) {
					return
				}
				index++
			}
		}
	}
}

// Values gives the value at a JSON pointer (RFC 6901) in each of the given objects, in the given order; nil where there is
// none. The host finds them, so the rest of the objects is not copied.
func (c *Collection) Values(indices []uint32, pointer string) ([]json.RawMessage, error) {
	values, wrong := c.host.Values(indices, pointer)
	if wrong != "" {
		return nil, InvalidInput("JSON pointer %q for context %q: %s", pointer, c.name, wrong)
	}
	return values, nil
}

// Close gives the collection back before the end of the call, which does so anyway.
func (c *Collection) Close() { c.host.Close() }

// written names one of the objects for people.
func (c *Collection) written(index uint32) string {
	return written(c.host.IDs([]uint32{index})[0])
}

// Objects is all objects of a collection as a type, by page. Each comes with its own error, so that one that does not fit the
// type need not stop the rest.
func Objects[T any](from *Collection) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for index, text := range from.Each() {
			object, err := as[T](from, index, "", text)
			if !yield(object, err) {
				return
			}
		}
	}
}

// Read gives the given objects as a type, in the given order. The error names the first that does not fit.
func Read[T any](from *Collection, indices []uint32) ([]T, error) {
	objects := make([]T, len(indices))
	for i, text := range from.host.Read(indices) {
		object, err := as[T](from, indices[i], "", text)
		if err != nil {
			return nil, err
		}
		objects[i] = object
	}
	return objects, nil
}

// Values gives the value at a JSON pointer in each of the given objects as a type, in the given order; nil where there is
// none. The error says what is wrong with the pointer, or names the first object whose value does not fit.
func Values[T any](from *Collection, indices []uint32, pointer string) ([]*T, error) {
	texts, err := from.Values(indices, pointer)
	if err != nil {
		return nil, err
	}
	values := make([]*T, len(texts))
	for i, text := range texts {
		if text == nil {
			continue
		}
		value, err := as[T](from, indices[i], pointer, text)
		if err != nil {
			return nil, err
		}
		values[i] = &value
	}
	return values, nil
}

func as[T any](from *Collection, index uint32, pointer string, text json.RawMessage) (T, error) {
	var value T
	err := decode(text, &value, false)
	if err == nil {
		return value, nil
	}
	at := ""
	if pointer != "" {
		at = " at " + pointer
	}
	return value, InvalidInput("%s%s of context %q: %w", from.written(index), at, from.name, err)
}
