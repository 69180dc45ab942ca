// Package crew lets goroutines work side by side on one answer without a panic
// in one of them ending the program: it comes out where the others are waited
// for, so that a server can answer with an error and go on.
package crew

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Crew is a sync.WaitGroup whose Wait panics where a member panicked. The zero
// value is ready.
type Crew struct {
	members sync.WaitGroup
	first   sync.Once
	fault   *Fault
}

// Fault is a panic of a member, with the stack on which it happened.
type Fault struct {
	Value any
	Stack []byte
}

func (f *Fault) Error() string { return fmt.Sprint(f.Value) }

// Go runs f in a goroutine of its own.
func (c *Crew) Go(f func()) {
	c.members.Go(func() {
		defer func() {
			if value := recover(); value != nil {
				stack := debug.Stack()
				c.first.Do(func() { c.fault = &Fault{value, stack} })
			}
		}()
		f()
	})
}

// Wait waits for all members. It panics with a *Fault if one of them did.
func (c *Crew) Wait() {
	c.members.Wait()
	if c.fault != nil {
		panic(c.fault)
	}
}
