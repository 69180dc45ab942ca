package input

import (
	"errors"

	"auspex/internal/jsonscan"
)

// HasKey looks for a key of the object that the scanner has entered.
func HasKey(s *jsonscan.Scanner, wanted func(key []byte) bool) bool {
	for {
		kind, err := s.Next()
		if err != nil || kind != jsonscan.Key {
			return false
		}
		if wanted(s.Bytes()) {
			return true
		}
		if s.Skip() != nil {
			return false
		}
	}
}

// ErrorOr is err, or where that is nil an error of the given text.
func ErrorOr(err error, text string) error {
	if err == nil {
		err = errors.New(text)
	}
	return err
}

// Short is the beginning of a text, for errors.
func Short(text []byte) string { return string(text[:min(len(text), 60)]) }
