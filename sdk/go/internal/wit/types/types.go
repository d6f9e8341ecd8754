// Package types has the words of the component model that Go lacks, for the generated bindings alone. It stands in for
// go.bytecodealliance.org/pkg/wit/types, with as much of it as our contract needs.
package types

// The tags of an option and of a result.
const (
	OptionNone uint8 = 0
	OptionSome uint8 = 1
	ResultOk   uint8 = 0
	ResultErr  uint8 = 1
)

// Option is a value or none.
type Option[T any] struct {
	some  bool
	value T
}

// None is no value.
func None[T any]() Option[T] { return Option[T]{} }

// Some is a value.
func Some[T any](value T) Option[T] { return Option[T]{some: true, value: value} }

// Tag tells which it is.
func (o Option[T]) Tag() uint8 {
	if o.some {
		return OptionSome
	}
	return OptionNone
}

// Some is the value of one that has it.
func (o Option[T]) Some() T { return o.value }

// FromPointer is none for nil.
func FromPointer[T any](value *T) Option[T] {
	if value == nil {
		return None[T]()
	}
	return Some(*value)
}

// Pointer is nil for none.
func (o Option[T]) Pointer() *T {
	if !o.some {
		return nil
	}
	return &o.value
}

// Result is a value or an error.
type Result[T, E any] struct {
	failed bool
	value  T
	err    E
}

// Ok is a result with a value.
func Ok[T, E any](value T) Result[T, E] { return Result[T, E]{value: value} }

// Err is a result with an error.
func Err[T, E any](err E) Result[T, E] { return Result[T, E]{failed: true, err: err} }

// Tag tells which it is.
func (r Result[T, E]) Tag() uint8 {
	if r.failed {
		return ResultErr
	}
	return ResultOk
}

// Ok is the value of one that has it.
func (r Result[T, E]) Ok() T { return r.value }

// Err is the error of one that has it.
func (r Result[T, E]) Err() E { return r.err }

// Unit is the value of a result without one.
type Unit = struct{}

// Tuple2 is a pair.
type Tuple2[A, B any] struct {
	F0 A
	F1 B
}
