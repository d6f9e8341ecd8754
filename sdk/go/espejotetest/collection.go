package espejotetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"espejote.io/sdk/go/internal/host"
)

// collection is the objects of one context, in order. An index out of range panics, where the real host ends the call.
type collection []stored

func (c collection) Len() uint32 { return uint32(len(c)) }

func (c collection) Revision() host.Revision {
	texts := make([]string, len(c))
	for i, object := range c {
		texts[i] = object.text
	}
	return revision(texts...)
}

func (c collection) Revisions() []host.Revision {
	revisions := make([]host.Revision, len(c))
	for i, object := range c {
		revisions[i] = revision(object.text)
	}
	return revisions
}

func (c collection) Find(namespace, name string) (uint32, bool) {
	i := slices.IndexFunc(c, func(object stored) bool {
		return object.id.Namespace == namespace && object.id.Name == name
	})
	return uint32(max(i, 0)), i >= 0
}

func (c collection) Select(namespace *string, labelSelector string) ([]uint32, string) {
	selector, err := parseSelector(labelSelector)
	if err != nil {
		return nil, err.Error()
	}
	var indices []uint32
	for i, object := range c {
		if (namespace == nil || *namespace == object.id.Namespace) && selector.matches(object.labels) {
			indices = append(indices, uint32(i))
		}
	}
	return indices, ""
}

func (c collection) IDs(indices []uint32) []host.ObjectID {
	ids := make([]host.ObjectID, len(indices))
	for i, index := range indices {
		ids[i] = c[index].id
	}
	return ids
}

func (c collection) Read(indices []uint32) []json.RawMessage {
	texts := make([]json.RawMessage, len(indices))
	for i, index := range indices {
		texts[i] = json.RawMessage(c[index].text)
	}
	return texts
}

func (c collection) Scan(start, maxBytes uint32) []json.RawMessage {
	var texts []json.RawMessage
	size := 0
	for _, object := range c[start:] {
		size += len(object.text)
		if len(texts) > 0 && size > int(maxBytes) {
			break
		}
		texts = append(texts, json.RawMessage(object.text))
	}
	return texts
}

func (c collection) Values(indices []uint32, pointer string) ([]json.RawMessage, string) {
	if pointer != "" && !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Sprintf("a JSON pointer is empty or starts with a slash: %q", pointer)
	}
	values := make([]json.RawMessage, len(indices))
	for i, index := range indices {
		values[i] = valueAt(c[index].text, pointer)
	}
	return values, ""
}

func (c collection) Close() {}

func valueAt(text, pointer string) json.RawMessage {
	value := json.RawMessage(text)
	if pointer == "" {
		return value
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		inner, found := member(value, token)
		if !found {
			return nil
		}
		value = inner
	}
	return value
}

func member(value json.RawMessage, token string) (json.RawMessage, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) == nil {
		inner, found := object[token]
		return inner, found
	}
	var array []json.RawMessage
	index, err := strconv.Atoi(token)
	if err != nil || json.Unmarshal(value, &array) != nil || index < 0 || index >= len(array) {
		return nil, false
	}
	return array[index], true
}
