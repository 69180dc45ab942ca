package analyze

import (
	"encoding/json"
	"math"
)

// Real is a number in a result; missing (NaN) and infinite ones are null in
// JSON.
type Real float64

// Missing is the Real that stands for no answer.
var Missing = Real(math.NaN())

// IsMissing tells whether there is no answer.
func (r Real) IsMissing() bool { return r != r }

// MarshalJSON writes null for what JSON cannot hold.
func (r Real) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(r))
}

// Ratio divides; by zero it is missing.
func Ratio(a, b float64) Real {
	if b == 0 {
		return Missing
	}
	return Real(a / b)
}
