//go:build wasip1

package runtime

import "sync"

var borrowing sync.Mutex

// Borrow runs a call of the host and empties the arena after it: whatever copy returns must hold nothing of what the host
// handed in. One at a time, as a goroutine may be changed between the two.
func Borrow[T any](copy func() T) T {
	borrowing.Lock()
	defer borrowing.Unlock()
	defer empty()
	return copy()
}
