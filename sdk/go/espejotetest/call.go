package espejotetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"espejote.io/sdk/go/espejote"
	"espejote.io/sdk/go/internal/host"
)

// call is the host of one call.
type call struct {
	cluster Cluster
	result  *Result
	// open are the groups that are not closed yet, the outermost first.
	open []*Group
}

func newCall(cluster Cluster) *call {
	if cluster.Owner == (espejote.Owner{}) {
		cluster.Owner = espejote.Owner{
			ID:  Named("espejote.io/v1alpha1", "ManagedResource", "default", "plugin"),
			UID: "00000000-0000-0000-0000-000000000000",
		}
	}
	return &call{cluster: cluster, result: &Result{Annotations: map[string]string{}}}
}

// Named is the id of an object.
func Named(apiVersion, kind, namespace, name string) espejote.ObjectID {
	return espejote.ObjectID{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name}
}

func (c *call) Owner() host.Owner { return c.cluster.Owner }
func (c *call) Config() string    { return written(c.cluster.Config) }
func (c *call) KeepInstance()     { c.result.KeepInstance = true }

func (c *call) ReadFile(path string) ([]byte, *host.FileError) {
	content, found := c.cluster.Files[path]
	if found {
		return []byte(content), nil
	}
	parts := strings.Split(strings.TrimPrefix(path, "lib/"), "/")
	if len(parts) != 2 {
		return nil, &host.FileError{Reason: host.FileInvalidPath, Message: fmt.Sprintf("%q is not of the form <library>/<key> or lib/<library>/<key>", path)}
	}
	library := strings.TrimSuffix(path, parts[1])
	for other := range c.cluster.Files {
		if strings.HasPrefix(other, library) {
			return nil, &host.FileError{Reason: host.FileNoKey, Message: fmt.Sprintf("library %q has no key %q", parts[0], parts[1])}
		}
	}
	return nil, &host.FileError{Reason: host.FileNoLibrary, Message: fmt.Sprintf("there is no library %q", parts[0])}
}

func (c *call) FileRevision(path string) (host.Revision, *host.FileError) {
	content, why := c.ReadFile(path)
	return revision(string(content)), why
}

func (c *call) LogEnabled(level host.Level) bool {
	kept := map[host.Level]slog.Level{
		host.Trace: espejote.LevelTrace, host.Debug: slog.LevelDebug, host.Info: slog.LevelInfo,
		host.Warn: slog.LevelWarn, host.Error: slog.LevelError,
	}
	return kept[level] >= c.cluster.LogLevel
}

func (c *call) Log(level host.Level, message string, fields [][2]string) {
	names := []string{"trace", "debug", "info", "warn", "error"}
	line := Line{Level: names[level], Message: message, Fields: map[string]string{}}
	for _, field := range fields {
		line.Fields[field[0]] = field[1]
	}
	c.result.Log = append(c.result.Log, line)
}

func (c *call) ContextNames() []string { return slices.Sorted(maps.Keys(c.cluster.Contexts)) }

func (c *call) OpenContext(name string) (host.Collection, *host.Unavailable) {
	if why, is := c.cluster.Unavailable[name]; is {
		return nil, &host.Unavailable{Reason: why.Reason, Message: why.Message}
	}
	objects, found := c.cluster.Contexts[name]
	if !found {
		return nil, &host.Unavailable{Reason: host.UnknownName, Message: fmt.Sprintf("there is no context %q", name)}
	}
	return collection(store(objects)), nil
}

func (c *call) ProvidedNames() []string { return slices.Sorted(maps.Keys(c.cluster.Provided)) }

func (c *call) ProvidedValue(name string) (string, *host.Unavailable) {
	if why, is := c.cluster.Unavailable[name]; is {
		return "", &host.Unavailable{Reason: why.Reason, Message: why.Message}
	}
	value, found := c.cluster.Provided[name]
	if !found {
		return "", &host.Unavailable{Reason: host.UnknownName, Message: fmt.Sprintf("there is no provided context %q", name)}
	}
	return written(value), nil
}

func (c *call) TriggerName() *string {
	if c.cluster.Trigger == "" {
		return nil
	}
	return &c.cluster.Trigger
}

func (c *call) TriggerEvent() *host.ObjectID { return c.cluster.Event }

func (c *call) TriggerObject() *string {
	if c.cluster.TriggerObject == nil {
		return nil
	}
	text := written(c.cluster.TriggerObject)
	return &text
}

func (c *call) Apply(object string, options *host.ApplyOptions) {
	item := Item{Apply: json.RawMessage(object)}
	if options != nil {
		item.Options = *options
	}
	c.emit(item)
}

func (c *call) Delete(id host.ObjectID, options *host.DeleteOptions) {
	item := Item{Delete: &id}
	if options != nil {
		item.DeleteOptions = *options
	}
	c.emit(item)
}

func (c *call) OpenGroup(policy *host.ErrorPolicy) {
	group := &Group{Policy: policy}
	c.emit(Item{Group: group})
	c.open = append(c.open, group)
}

func (c *call) CloseGroup() { c.open = c.open[:len(c.open)-1] }

func (c *call) emit(item Item) {
	if len(c.open) == 0 {
		c.result.Items = append(c.result.Items, item)
		return
	}
	group := c.open[len(c.open)-1]
	group.Items = append(group.Items, item)
}

func (c *call) RequeueAfter(after time.Duration)  { c.result.RequeueAfter = after }
func (c *call) SetMessage(message string)         { c.result.Message = message }
func (c *call) SetDocument(document string)       { c.result.Document = json.RawMessage(document) }
func (c *call) SetWaiting(reason, message string) { c.result.Waiting = &Waiting{reason, message} }

// SetCondition keeps the conditions in order of type: the last call for a type counts.
func (c *call) SetCondition(condition host.Condition) {
	c.result.Conditions = slices.DeleteFunc(c.result.Conditions, func(other host.Condition) bool {
		return other.Type == condition.Type
	})
	c.result.Conditions = append(c.result.Conditions, condition)
	slices.SortFunc(c.result.Conditions, func(a, b host.Condition) int { return cmp.Compare(a.Type, b.Type) })
}

func (c *call) Warn(message string)        { c.result.Warnings = append(c.result.Warnings, message) }
func (c *call) Annotate(key, value string) { c.result.Annotations[key] = value }

func decoded(text json.RawMessage) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		panic(fmt.Sprintf("espejotetest: %s: %v", text, err))
	}
	return object
}
