package mistake

import "fmt"

// Refusal is a question that cannot be answered as it was asked: a name that
// does not exist, a parameter out of range. Whoever asked can ask better; every
// other error is a fault of the data or the program.
type Refusal struct{ err error }

func (r Refusal) Error() string { return r.err.Error() }
func (r Refusal) Unwrap() error { return r.err }

// Refuse makes a refusal.
func Refuse(format string, args ...any) error { return Refusal{fmt.Errorf(format, args...)} }
