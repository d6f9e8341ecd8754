package espejote

import (
	"context"
	"log/slog"

	"espejote.io/sdk/go/internal/host"
)

// LevelTrace is the level below slog's: every step, for the author of a plugin.
const LevelTrace = slog.LevelDebug - 4

// Handler passes lines of log/slog on to the host. Attributes become fields; a group's name goes before the keys in it.
type Handler struct {
	host   host.Logging
	prefix string
	fields [][2]string
}

// NewHandler is for package espejotetest and the component; [Call.Log] has one.
func NewHandler(to host.Logging) *Handler { return &Handler{host: to} }

// Enabled asks the host, so that nothing is put together for a line that would not be kept.
func (h *Handler) Enabled(_ context.Context, level slog.Level) bool {
	return h.host.LogEnabled(levelOf(level))
}

// Handle logs one line. Its time is the host's.
func (h *Handler) Handle(_ context.Context, record slog.Record) error {
	fields := h.fields[:len(h.fields):len(h.fields)]
	record.Attrs(func(attr slog.Attr) bool {
		fields = appendAttr(fields, h.prefix, attr)
		return true
	})
	h.host.Log(levelOf(record.Level), record.Message, fields)
	return nil
}

// WithAttrs is a handler that adds these to every line.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	fields := h.fields[:len(h.fields):len(h.fields)]
	for _, attr := range attrs {
		fields = appendAttr(fields, h.prefix, attr)
	}
	return &Handler{host: h.host, prefix: h.prefix, fields: fields}
}

// WithGroup is a handler that puts the name before every key.
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &Handler{host: h.host, prefix: h.prefix + name + ".", fields: h.fields}
}

func appendAttr(fields [][2]string, prefix string, attr slog.Attr) [][2]string {
	value := attr.Value.Resolve()
	if value.Kind() != slog.KindGroup {
		if attr.Equal(slog.Attr{}) {
			return fields
		}
		return append(fields, [2]string{prefix + attr.Key, value.String()})
	}
	if attr.Key != "" {
		prefix += attr.Key + "."
	}
	for _, inner := range value.Group() {
		fields = appendAttr(fields, prefix, inner)
	}
	return fields
}

func levelOf(level slog.Level) host.Level {
	switch {
	case level < slog.LevelDebug:
		return host.Trace
	case level < slog.LevelInfo:
		return host.Debug
	case level < slog.LevelWarn:
		return host.Info
	case level < slog.LevelError:
		return host.Warn
	default:
		return host.Error
	}
}
