//go:build wasip1

// Package runtime gives the generated bindings their memory. It stands in for go.bytecodealliance.org/pkg/wit/runtime,
// which the public Go proxy does not serve, and goes its own way where the host hands something in; see arena.go.
package runtime

import (
	"runtime"
	"unsafe"
)

// Allocate is memory of Go's heap that stays where it is until the pinner lets go: for what the host reads, and for the
// few words into which it puts its answers. What the host allocates by itself goes into the arena.
func Allocate(pinner *runtime.Pinner, size, align uintptr) unsafe.Pointer {
	if size == 0 {
		return unsafe.Pointer(align)
	}
	// A slice of words has the alignment of the largest type of the contract, 8 bytes.
	words := make([]uint64, (size+7)/8)
	memory := unsafe.Pointer(unsafe.SliceData(words))
	pinner.Pin(memory)
	return memory
}

// Unpin is called by the bindings when an export has taken its arguments. They lie in the arena, which is emptied later, by
// whoever has copied them.
func Unpin() {}
