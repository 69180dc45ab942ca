package pop

import (
	"fmt"
	"strings"
)

// lookBelow is where BSC's and Jülich's tools flag a factor.
const lookBelow = 0.8

// named are the factors by their names, the parts before what they make up.
func (f *Factors) named() []struct {
	name  string
	value *float64
} {
	return []struct {
		name  string
		value *float64
	}{
		{"load balance", f.LoadBalance}, {"serialization", f.Serialization}, {"transfer", f.Transfer},
		{"computation scalability", f.Computation},
		{"IPC scalability", f.IPC}, {"instruction scalability", f.Instruction}, {"frequency scalability", f.Frequency},
	}
}

// Low names the factors to look at: those below 0.8, of communication's two
// parts both or itself where they are not known.
func (f *Factors) Low() []string {
	low := []string{}
	for _, n := range f.named() {
		if n.value != nil && *n.value < lookBelow {
			low = append(low, n.name)
		}
	}
	if f.Serialization == nil && f.Communication != nil && *f.Communication < lookBelow {
		low = append(low, "communication")
	}
	return low
}

// meaning says what a low factor means.
var meaning = map[string]string{
	"load balance":            "some ranks compute longer than others",
	"serialization":           "ranks wait for one another even on a perfect network",
	"transfer":                "communication costs more than waiting for one another",
	"communication":           "ranks spend their time in communication",
	"computation scalability": "the computation grew with the number of ranks",
	"IPC scalability":         "instructions take longer than in the reference",
	"instruction scalability": "there are more instructions than in the reference",
	"frequency scalability":   "the processors run slower than in the reference",
}

// Words says how good a run is, and what to look at.
func (f *Factors) Words() string {
	if f.Parallel == nil {
		return "There is no computation to judge."
	}
	text := fmt.Sprintf("Parallel efficiency is %.3f.", *f.Parallel)
	if low := f.LookAt(); low != "" {
		return text + " Look at " + low + "."
	}
	return text + " No factor is below 0.8."
}

// LookAt names the factors below 0.8 with what they mean; nothing where there
// are none.
func (f *Factors) LookAt() string {
	var parts []string
	for _, name := range f.Low() {
		parts = append(parts, fmt.Sprintf("%s (%s)", name, meaning[name]))
	}
	return strings.Join(parts, " and ")
}
