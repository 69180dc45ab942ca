package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf16"

	"auspex/expr"
	"auspex/internal/crew"
	"auspex/internal/mistake"
	"auspex/store"
)

// failure is an error as JSON.
type failure struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Offset  *int   `json:"offset,omitempty"` // in UTF-16 units of the text sent
	Caret   string `json:"caret,omitempty"`
}

// statusError is an answer that has a status of its own.
type statusError struct {
	status  int
	message string
}

func (e statusError) Error() string { return e.message }

// defect makes an answer of a panic, and shows on the server's side where it was.
func (s *Server) defect(question string, value any, stack []byte) error {
	if inside, ok := value.(*crew.Fault); ok {
		stack = inside.Stack
	}
	if s.config.Defects != nil {
		fmt.Fprintf(s.config.Defects, "auspex: answering %s: %v\n%s", question, value, stack)
	}
	return statusError{http.StatusInternalServerError, fmt.Sprintf("this question hit a defect of auspex (%v); the server keeps running, and its terminal shows where it was", value)}
}

// statusGone is what a client that left would have been told.
const statusGone = 499

// describe finds the status and the words for an error.
func describe(err error) (int, failure) {
	f := failure{Message: err.Error()}
	if place, ok := mistake.Find(err); ok {
		f.File, f.Line, f.Column = place.File, place.Line, place.Column
	}
	var inText *expr.Error
	var own statusError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &own):
		return own.status, f
	case errors.As(err, &tooLarge):
		f.Message = fmt.Sprintf("the question is larger than %d bytes", tooLarge.Limit)
		return http.StatusRequestEntityTooLarge, f
	case errors.As(err, &inText):
		f.Message, f.Hint, f.Caret = inText.Message, inText.Hint, inText.Caret()
		offset := utf16Length(inText.Source[:min(max(inText.Offset, 0), len(inText.Source))])
		f.Offset = &offset
		return http.StatusBadRequest, f
	case errors.Is(err, context.DeadlineExceeded):
		f.Message = "the question took too long and was given up"
		return http.StatusGatewayTimeout, f
	case errors.Is(err, context.Canceled):
		return statusGone, f
	case errors.Is(err, store.ErrNotFound):
		return http.StatusNotFound, f
	case errors.Is(err, store.ErrExists):
		return http.StatusConflict, f
	case errors.As(err, new(mistake.Refusal)):
		return http.StatusBadRequest, f
	}
	// Not the fault of who asks: a damaged file, a query engine that fails.
	return http.StatusInternalServerError, f
}

func utf16Length(text string) int { return len(utf16.Encode([]rune(text))) }

// fromUTF16 finds the byte at which a text has so many UTF-16 units before it.
func fromUTF16(text string, units int) int {
	n := 0
	for at, r := range text {
		if n >= units {
			return at
		}
		n += utf16.RuneLen(r)
	}
	return len(text)
}

// refuse writes an error.
func refuse(w http.ResponseWriter, status int, message string) {
	writeFailure(w, status, failure{Message: message})
}

func writeFailure(w http.ResponseWriter, status int, f failure) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "2")
	}
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": f})
}
