package platform

import "fmt"

// Error is a mistake in an input file and where it is.
type Error struct {
	File string
	Line int // from 1; 0 where no line is to blame
	Msg  string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}
