package fuzzy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"auspex/expr"
)

// Factor is a condition of an experiment, such as its problem size or network,
// and how two values of it compare (Soft performance analysis, Table 1).
type Factor struct {
	Name         string
	About        string
	Set          Set     // its score
	Low, High    float64 // its range
	Category     string  // problem size, machine, communication, …
	Controllable bool    // false for what is only observed, such as CPU usage
	Words        []WordNumber
}

// WordNumber is the number a word stands for: P4 is 42.95 MB/s.
type WordNumber struct {
	Word   string
	Number float64
}

// Number gives the number of a factor's value: itself, or what its word stands
// for.
func (f *Factor) Number(value string) (float64, error) {
	var known []string
	for _, w := range f.Words {
		if strings.EqualFold(w.Word, value) {
			return w.Number, nil
		}
		known = append(known, w.Word)
	}
	if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && finite(v) {
		return v, nil
	}
	hint := expr.DidYouMean(value, known)
	if hint == "" {
		hint = "give its number under [factor." + f.Name + ".words] of a vocabulary file"
	}
	return math.NaN(), fmt.Errorf("factor %s: no number is given for %q; %s", f.Name, value, hint)
}

// Similarity compares two values of the factor: eq. 3 with the one score.
func (f *Factor) Similarity(a, b float64) float64 {
	return 1 - math.Abs(f.Set.Degree(a)-f.Set.Degree(b))
}

// sortWords keeps the words in a fixed order, smallest number first.
func sortWords(words []WordNumber) {
	slices.SortFunc(words, func(a, b WordNumber) int {
		switch {
		case a.Number < b.Number:
			return -1
		case a.Number > b.Number:
			return 1
		}
		return strings.Compare(a.Word, b.Word)
	})
}
