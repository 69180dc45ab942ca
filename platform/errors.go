package platform

import (
	"fmt"
	"strings"
)

// Error is a mistake in an input file and where it is.
type Error struct {
	File string
	Line int // from 1; 0 where no line is to blame
	Msg  string
}

// maxMessage keeps a message readable where a file has very long names.
const maxMessage = 400

func newError(file string, line int, format string, args ...any) *Error {
	msg := fmt.Sprintf(format, args...)
	if len(msg) > maxMessage {
		msg = strings.ToValidUTF8(msg[:maxMessage], "") + "..."
	}
	return &Error{File: file, Line: line, Msg: msg}
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}
