// Package mistake says where in what a user gave something is wrong: a file,
// a line, a column. Readers return an [Error] or a type of their own that is
// [Placed]; whoever shows errors asks [Find] and needs to know no reader.
package mistake

import (
	"errors"
	"fmt"
	"strconv"
)

// Place is where a mistake is. File is "" for a text that is in no file; Line
// and Column count from 1 and are 0 where unknown.
type Place struct {
	File         string
	Line, Column int
}

// Placed is an error that knows its place.
type Placed interface {
	error
	Place() Place
}

// Find looks for the place of an error.
func Find(err error) (Place, bool) {
	var placed Placed
	if !errors.As(err, &placed) {
		return Place{}, false
	}
	return placed.Place(), true
}

// Error is a mistake in a file.
type Error struct {
	place Place
	// afterByte is the byte offset plus 1, for files without lines; 0 where
	// unknown.
	afterByte int64
	err       error
}

// Error gives file:line:column: message, as far as the place is known.
func (e *Error) Error() string {
	where := e.place.File
	switch {
	case e.place.Line > 0 && e.place.Column > 0:
		where += ":" + strconv.Itoa(e.place.Line) + ":" + strconv.Itoa(e.place.Column)
	case e.place.Line > 0:
		where += ":" + strconv.Itoa(e.place.Line)
	case e.afterByte > 0:
		where += " at byte " + strconv.FormatInt(e.afterByte-1, 10)
	}
	return where + ": " + e.err.Error()
}

// Place is where the mistake is.
func (e *Error) Place() Place { return e.place }

// Unwrap gives the mistake without its place.
func (e *Error) Unwrap() error { return e.err }

// InFile makes an error about a whole file.
func InFile(file, format string, args ...any) error {
	return At(Place{File: file}, format, args...)
}

// AtLine makes an error about a line of a file.
func AtLine(file string, line int, format string, args ...any) error {
	return At(Place{File: file, Line: line}, format, args...)
}

// At makes an error about a place.
func At(place Place, format string, args ...any) error {
	return &Error{place: place, err: fmt.Errorf(format, args...)}
}

// AtByte makes an error about a byte of a file.
func AtByte(file string, offset int64, format string, args ...any) error {
	return &Error{place: Place{File: file}, afterByte: offset + 1, err: fmt.Errorf(format, args...)}
}
