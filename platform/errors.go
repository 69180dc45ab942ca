package platform

import (
	"fmt"
	"strings"

	"auspex/internal/mistake"
)

// maxMessage keeps a message readable where a file has very long names.
const maxMessage = 400

// newError says what is wrong in a file and on which line, 0 where no line is
// to blame.
func newError(file string, line int, format string, args ...any) error {
	return errorAt(mistake.Place{File: file, Line: line}, format, args...)
}

func errorAt(place mistake.Place, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "..."
	}
	return mistake.At(place, "%s", message)
}
