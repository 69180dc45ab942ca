package model

import (
	"fmt"
	"strconv"
)

// FileError is something wrong at a place in an input file. Line and Column
// count from 1 and are 0 where unknown; Offset is a byte offset, -1 where
// unknown.
type FileError struct {
	File         string
	Line, Column int
	Offset       int64
	Err          error
}

func (e *FileError) Error() string {
	where := e.File
	switch {
	case e.Line > 0 && e.Column > 0:
		where += ":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column)
	case e.Line > 0:
		where += ":" + strconv.Itoa(e.Line)
	case e.Offset >= 0:
		where += " at byte " + strconv.FormatInt(e.Offset, 10)
	}
	return where + ": " + e.Err.Error()
}

func (e *FileError) Unwrap() error { return e.Err }

// InFile makes an error about a whole file.
func InFile(file, format string, args ...any) error {
	return &FileError{File: file, Offset: -1, Err: fmt.Errorf(format, args...)}
}

// AtLine makes an error about a line of a file.
func AtLine(file string, line int, format string, args ...any) error {
	return &FileError{File: file, Line: line, Offset: -1, Err: fmt.Errorf(format, args...)}
}

// AtByte makes an error about a byte of a file.
func AtByte(file string, offset int64, format string, args ...any) error {
	return &FileError{File: file, Offset: offset, Err: fmt.Errorf(format, args...)}
}
