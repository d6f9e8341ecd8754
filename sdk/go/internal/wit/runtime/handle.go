//go:build wasip1

package runtime

// Handle is that of a resource of the host, until it is given back.
type Handle struct{ value int32 }

// MakeHandle takes over a handle from the host. It is never zero.
func MakeHandle(value int32) *Handle { return &Handle{value} }

// Use is the handle, to be passed to the host.
func (h *Handle) Use() int32 {
	if h.value == 0 {
		panic("a collection is used after it was closed")
	}
	return h.value
}

// Take gives the handle away.
func (h *Handle) Take() int32 {
	value := h.Use()
	h.value = 0
	return value
}

// TakeOrNil gives the handle away, or zero if that was done before.
func (h *Handle) TakeOrNil() int32 {
	value := h.value
	h.value = 0
	return value
}

// Set takes over another handle.
func (h *Handle) Set(value int32) { h.value = value }
