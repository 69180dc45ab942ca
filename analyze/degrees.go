package analyze

import (
	"bytes"
	"encoding/json"

	"auspex/fuzzy"
)

// Degrees are how far something deserves each of some words, in the words'
// order. As JSON it is an object.
type Degrees struct {
	Names []string
	Of    []Real
}

// degreesIn classifies a value by the terms of a variable.
func degreesIn(v *fuzzy.Variable, value Real) Degrees {
	var d Degrees
	for _, t := range v.Terms {
		d.Names = append(d.Names, t.Name)
		d.Of = append(d.Of, Real(t.Set.Degree(float64(value))))
	}
	return d
}

// Best is the word with the highest degree, the first among equals. It is ""
// where no degree is above zero.
func (d Degrees) Best() (word string, degree Real) {
	for i, v := range d.Of {
		if v > degree {
			word, degree = d.Names[i], v
		}
	}
	return word, degree
}

// Get is the degree of one word, Missing where it is not among them.
func (d Degrees) Get(word string) Real {
	for i, name := range d.Names {
		if name == word {
			return d.Of[i]
		}
	}
	return Missing
}

// MarshalJSON keeps the order of the words.
func (d Degrees) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range d.Names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := d.Of[i].MarshalJSON()
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
