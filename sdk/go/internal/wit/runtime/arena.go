//go:build wasip1

package runtime

import "unsafe"

// Where the host hands in strings and lists, it asks for memory by cabi_realloc, in the middle of an import or before an
// export. At that moment a component may call nothing of the host's; but Go's allocator may collect garbage or start a
// goroutine and then look at the clock, which is a call of the host: it would trap. And WASI's adapter asks for its memory
// before Go's runtime has started. So what the host hands in lies outside of Go's heap, in an arena of ours, taken in chunks
// from the one place that may grow the memory: the runtime's own sbrk. (A memory.grow beside it would take pages that the
// runtime believes to be its own.) It is not exported, hence the linkname, and hence -checklinkname=0 for the linker.
//
// The arena is emptied after each import, when package component has copied what it needs into Go's heap: a kept instance
// does not grow with the calls that it serves. Everything below runs without a stack check, allocates nothing of Go's
// and calls no function that does.

//go:linkname sbrk runtime.sbrk
func sbrk(size uintptr) unsafe.Pointer

const (
	firstChunk = 256 << 10
	// maxChunks is enough for all of a 32-bit memory, as each chunk is at least twice as large as the one before.
	maxChunks = 24
)

type chunk struct{ start, used, size uintptr }

// arena is the chunks so far, and the one in use.
var arena struct {
	chunks     [maxChunks]chunk
	count, now int
}

// empty makes all of the arena free again. What was in it must not be read any more.
//
//go:nosplit
func empty() {
	for i := 0; i < arena.count; i++ {
		arena.chunks[i].used = 0
	}
	arena.now = 0
}

// take is memory of the arena; nil if there is none left.
//
//go:nosplit
func take(size, align uintptr) unsafe.Pointer {
	for {
		if arena.now < arena.count {
			c := &arena.chunks[arena.now]
			start := (c.start + c.used + align - 1) &^ (align - 1)
			if start+size <= c.start+c.size {
				c.used = start + size - c.start
				return unsafe.Pointer(start)
			}
			arena.now++
			continue
		}
		if !grow(size + align) {
			return nil
		}
	}
}

// grow adds a chunk of at least this size.
//
//go:nosplit
func grow(least uintptr) bool {
	if arena.count == maxChunks {
		return false
	}
	size := uintptr(firstChunk)
	if arena.count > 0 {
		size = 2 * arena.chunks[arena.count-1].size
	}
	// A long list in the middle of small ones shall not make all that follow as large.
	if size < least {
		size = (least + firstChunk - 1) &^ (firstChunk - 1)
	}
	start := sbrk(size)
	if start == nil {
		return false
	}
	arena.chunks[arena.count] = chunk{start: uintptr(start), size: size}
	arena.count++
	return true
}

// move copies what was there before.
//
//go:nosplit
func move(to, from unsafe.Pointer, size uintptr) {
	for i := uintptr(0); i < size; i++ {
		*(*byte)(unsafe.Add(to, i)) = *(*byte)(unsafe.Add(from, i))
	}
}

// reallocate is for the host: its strings and lists.
//
//go:wasmexport cabi_realloc
//go:nosplit
func reallocate(old, oldSize, align, size uint32) uint32 {
	if size == 0 {
		return align
	}
	memory := take(uintptr(size), uintptr(align))
	if memory == nil {
		trap()
	}
	move(memory, unsafe.Pointer(uintptr(old)), uintptr(min(oldSize, size)))
	return uint32(uintptr(memory))
}

// reallocateForAdapter is for WASI's adapter, which keeps what it gets for as long as the instance lives.
//
//go:wasmexport cabi_realloc_adapter
//go:nosplit
func reallocateForAdapter(old, oldSize, align, size uint32) uint32 {
	// sbrk rounds to pages, so any alignment holds. The adapter asks for two areas in all.
	memory := sbrk(uintptr(size))
	if memory == nil {
		trap()
	}
	move(memory, unsafe.Pointer(uintptr(old)), uintptr(min(oldSize, size)))
	return uint32(uintptr(memory))
}

// trap ends the instance: there is no memory, and no way to tell the host so.
//
//go:nosplit
func trap() {
	*(*byte)(unsafe.Pointer(^uintptr(0) >> 32)) = 0
}
