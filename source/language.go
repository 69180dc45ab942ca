package source

import (
	"path/filepath"
	"strings"
)

// Language is one of the three languages understood here.
type Language int

// The languages.
const (
	Unknown Language = iota
	C
	CXX
	Fortran
)

func (l Language) String() string {
	return [...]string{"unknown", "C", "C++", "Fortran"}[l]
}

// MarshalText writes the name of the language, for JSON.
func (l Language) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Form is the layout of a Fortran source; C and C++ are always Free.
type Form int

// The forms.
const (
	Free Form = iota
	Fixed
)

func (f Form) String() string { return [...]string{"free", "fixed"}[f] }

// MarshalText writes the name of the form, for JSON.
func (f Form) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Detect tells language and form from a file's name, as compilers do: `.C` is
// C++ and `.c` is C, `.f` and `.F` are fixed form, `.f90` and later are free.
func Detect(name string) (Language, Form) {
	ext := filepath.Ext(name)
	switch ext {
	case ".c":
		return C, Free
	case ".C", ".CPP":
		return CXX, Free
	}
	switch strings.ToLower(ext) {
	case ".cc", ".cp", ".cpp", ".cxx", ".c++", ".cu":
		return CXX, Free
	case ".f", ".for", ".ftn", ".fpp", ".f77":
		return Fortran, Fixed
	case ".f90", ".f95", ".f03", ".f08", ".f18":
		return Fortran, Free
	}
	return Unknown, Free
}
