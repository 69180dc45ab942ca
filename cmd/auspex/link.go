//go:build linux && cgo

package main

// Nothing is loaded into auspex that would look for its symbols. Go exports all of them
// for such a case, and the dynamic linker then looks thousands of them up at every start:
// a quarter of the time that auspex version takes.

// #cgo LDFLAGS: -Wl,--no-export-dynamic
import "C"
