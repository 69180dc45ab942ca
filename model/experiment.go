package model

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Header is what is known of an experiment without its units, regions and
// values: small enough that ten thousand of them can be listed at once.
type Header struct {
	ID      string    `json:"id,omitempty"` // given by the store
	Name    string    `json:"name"`
	Program string    `json:"program,omitempty"`
	Command string    `json:"command,omitempty"`
	Created time.Time `json:"created"` // when the program ran; the time of import where unknown

	Format  string   `json:"format,omitempty"`  // "tau", "caliper", …, "auspex"
	Sources []string `json:"sources,omitempty"` // files it was read from

	Factors []Factor `json:"factors,omitempty"`
	Metrics []Metric `json:"metrics"`

	// Runs counts the repeated runs behind the values; 1 for a single run.
	Runs int `json:"runs"`
	// Incomplete says what is known to be missing ("rank 3 was killed in
	// solve"); empty for a whole experiment.
	Incomplete string `json:"incomplete,omitempty"`
	// BlockedApart tells that time in which a thread was blocked or asleep is in
	// regions of its own (Blocked): other time off the cores was waiting for one.
	BlockedApart bool `json:"blocked_apart,omitempty"`
	// Notes are warnings met while measuring or reading.
	Notes []string `json:"notes,omitempty"`

	UnitCount    int `json:"units"`
	RegionCount  int `json:"regions"`
	SummaryCount int `json:"summaries"`
}

// NoTraceNote begins the note of a run that was to keep a trace and could not.
const NoTraceNote = "no trace: "

// Experiment is a header with everything it counts.
type Experiment struct {
	Header
	Units     []Unit
	Regions   []Region
	Summaries Summaries
}

// Factor is a named value that describes how the program was run: problem
// size, processors, network. It is a number or a word (Soft performance
// analysis, Table 1).
type Factor struct {
	Name string
	// Word is the value as written; Number its value where Numeric is true.
	Word    string
	Number  float64
	Numeric bool
}

// Factors that readers and the measurement find by themselves, and that decide
// what is compared with what.
const (
	Cores            = "cores"             // that all units had between them
	ProcessorThreads = "processor_threads" // of each process; its units beyond them are an accelerator's streams
	// AveragedOver is how many processes each unit's values are means of,
	// where a tool kept no more of them: how they differ is not known.
	AveragedOver = "averaged_over"
)

// Outside is the name that readers give to what was measured outside all regions
// that somebody marked: no code that could be looked at.
const Outside = "<outside>"

// NewFactor makes a factor from text: a number where it parses as one.
func NewFactor(name, value string) Factor {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return Factor{Name: name, Word: value}
	}
	return Factor{Name: name, Word: value, Number: n, Numeric: true}
}

// NumberFactor makes a numeric factor.
func NumberFactor(name string, n float64) Factor {
	return Factor{Name: name, Word: NumberWord(n), Number: n, Numeric: true}
}

// NumberWord writes a number as people do: whole ones, such as dates, versions
// and numbers of cells, without an exponent.
func NumberWord(n float64) string {
	if n == math.Trunc(n) && math.Abs(n) < 1e15 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

type factorJSON struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// MarshalJSON writes the value as a JSON number or string.
func (f Factor) MarshalJSON() ([]byte, error) {
	return json.Marshal(factorJSON{Name: f.Name, Value: f.Value()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *Factor) UnmarshalJSON(data []byte) error {
	var raw factorJSON
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	switch v := raw.Value.(type) {
	case string:
		*f = Factor{Name: raw.Name, Word: v}
	case float64:
		*f = NumberFactor(raw.Name, v)
	default:
		return fmt.Errorf("factor %q: neither a number nor a word", raw.Name)
	}
	return nil
}

// Value is the factor's value as a float64 or a string, for JSON output.
func (f Factor) Value() any {
	if f.Numeric {
		return f.Number
	}
	return f.Word
}

// SetFactor adds a factor or replaces the one of the same name.
func (h *Header) SetFactor(f Factor) {
	for i := range h.Factors {
		if h.Factors[i].Name == f.Name {
			h.Factors[i] = f
			return
		}
	}
	h.Factors = append(h.Factors, f)
}

// Factor finds a factor by name.
func (h *Header) Factor(name string) (Factor, bool) {
	for _, f := range h.Factors {
		if f.Name == name {
			return f, true
		}
	}
	return Factor{}, false
}

// Unit is one processing unit. Node may be empty where the tool did not
// record it.
type Unit struct {
	Node    string
	Process int
	Thread  int
}

func (u Unit) String() string {
	if u.Thread == 0 {
		return strconv.Itoa(u.Process)
	}
	return strconv.Itoa(u.Process) + "." + strconv.Itoa(u.Thread)
}
