package store

// namedError says in its own words what one of the errors that callers tell
// apart means here.
type namedError struct {
	message string
	means   error
}

func (e *namedError) Error() string { return e.message }
func (e *namedError) Unwrap() error { return e.means }
