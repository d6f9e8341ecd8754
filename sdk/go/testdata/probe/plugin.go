// A plugin that tries what only the real engine shows: sdk/go/check runs each of its cases. It has all four roles.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"text/template"
	"time"

	"espejote.io/sdk/go/espejote"
)

func init() {
	espejote.Register(espejote.Plugin{
		Reconcile: reconcile,
		Admit:     admit,
		Provide:   func(call *espejote.ProvideCall) (any, error) { return map[string]any{"n": json.Number("3.0")}, nil },
		Schema:    func(role string) string { return `{"type": "object"}` },
		Validate: func(role string, config json.RawMessage) []espejote.Problem {
			if strings.Contains(string(config), "forbidden") {
				return []espejote.Problem{{Path: "/case", Message: "role " + role + " has no such case"}}
			}
			return nil
		},
	})
}

func main() {}

// kept survives the calls of an instance that is kept.
var kept int

var cases = map[string]func(*espejote.ReconcileCall) error{
	"exact":      exact,
	"large":      large,
	"goroutines": goroutines,
	"clock":      clock,
	"kept":       countCalls,
	"panic":      func(*espejote.ReconcileCall) error { return index(nil) },
	"error":      func(*espejote.ReconcileCall) error { return errors.New("a plain error") },
	"closed":     useClosed,
	"bytes":      noUTF8,
	"template":   byName,
}

func reconcile(call *espejote.ReconcileCall) error {
	var config struct {
		Case string `json:"case"`
	}
	if err := call.Config(&config); err != nil {
		return err
	}
	run, found := cases[config.Case]
	if !found {
		return espejote.InvalidConfig("there is no case %q", config.Case)
	}
	return run(call)
}

func admit(call *espejote.AdmitCall) (espejote.Decision, error) {
	var request struct{ Object json.RawMessage }
	if err := call.Request(&request); err != nil {
		return espejote.Decision{}, err
	}
	if request.Object == nil {
		return espejote.Decision{}, espejote.InvalidInput("there is no object")
	}
	return espejote.Decision{Allowed: true, Code: 201, Message: "fine", Object: request.Object}, nil
}

func index(list []error) error { return list[len(list)] }

// exact reads objects and gives them back, numbers and all.
func exact(call *espejote.ReconcileCall) error {
	objects, err := call.Context("objects")
	if err != nil {
		return err
	}
	for object, err := range espejote.Objects[map[string]any](objects) {
		if err != nil {
			return err
		}
		if err := call.Apply(object); err != nil {
			return err
		}
	}
	return nil
}

// large reads everything again and again. What the host hands in must not pile up: all of it is many times the memory.
func large(call *espejote.ReconcileCall) error {
	objects, err := call.Context("objects")
	if err != nil {
		return err
	}
	var bytes, count, values int
	for range 20 {
		bytes, count, values = 0, 0, 0
		for _, text := range objects.Read(objects.All()) {
			bytes += len(text)
		}
		for _, text := range objects.Each() {
			count += len(text)
		}
		found, err := objects.Values(objects.All(), "/data/text")
		if err != nil {
			return err
		}
		for _, value := range found {
			values += len(value)
		}
	}
	return call.Document(map[string]any{
		"objects": objects.Len(), "read": bytes > 5_000_000, "scanned the same": count == bytes, "values": values > 4_000_000,
	})
}

// goroutines reads from many at once: what one has been given must not be overwritten by what another asks for.
func goroutines(call *espejote.ReconcileCall) error {
	objects, err := call.Context("objects")
	if err != nil {
		return err
	}
	var done sync.WaitGroup
	wrong := make([]string, 16)
	for i := range wrong {
		done.Add(1)
		go func() {
			defer done.Done()
			for range 20 {
				for j := range objects.Len() {
					index := []uint32{uint32((i + j) % objects.Len())} // each another one at the same time
					id, text := objects.IDs(index)[0], objects.Read(index)[0]
					runtime.Gosched()
					if !strings.Contains(string(text), `"`+id.Name+`"`) {
						wrong[i] = id.Name
					}
				}
			}
		}()
	}
	done.Wait()
	return call.Document(map[string]any{"wrong": strings.Join(wrong, "")})
}

// clock stands still during a call, and a timer ends all the same.
func clock(call *espejote.ReconcileCall) error {
	before := time.Now()
	time.Sleep(time.Millisecond)
	return call.Document(map[string]any{"wall clock moved": !time.Now().Round(0).Equal(before.Round(0))})
}

func countCalls(call *espejote.ReconcileCall) error {
	call.KeepInstance()
	kept++
	slog.Info("by the default logger", "calls", kept)
	return call.Document(map[string]any{"kept": kept >= 1})
}

func useClosed(call *espejote.ReconcileCall) error {
	objects, err := call.Context("objects")
	if err != nil {
		return err
	}
	objects.Close()
	return fmt.Errorf("%d", objects.Len())
}

func noUTF8(call *espejote.ReconcileCall) error {
	call.Message("no UTF-8: \xff")
	return espejote.NotReady("neither: \xff")
}

// byName uses a package that looks methods up by their names, for which Go's linker keeps all methods there are.
func byName(call *espejote.ReconcileCall) error {
	var text strings.Builder
	page := template.Must(template.New("page").Parse("Hello {{.Name}}"))
	if err := page.Execute(&text, call.Owner().ID); err != nil {
		return err
	}
	return call.Document(map[string]any{"text": text.String()})
}
