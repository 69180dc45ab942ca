package account

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Kind names a line of the ledger.
type Kind string

// The lines of the ledger.
const (
	Useful        Kind = "useful"
	Imbalance     Kind = "imbalance"     // waiting for units that had more work, by region
	Waiting       Kind = "waiting"       // beyond the imbalance
	StartEnd      Kind = "start_end"     // before, after and in starting and ending
	IO            Kind = "io"            // input and output
	SharedCores   Kind = "shared_cores"  // wall time without CPU time outside communication
	Communication Kind = "communication" // its own cost
	Idle          Kind = "idle"          // units that did nothing
)

// Place is the path of a region; empty, and null in JSON, where a line is not
// about one.
type Place string

// MarshalJSON writes no place as null.
func (p Place) MarshalJSON() ([]byte, error) {
	if p == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(p))
}

// Line is one line of the ledger.
type Line struct {
	Kind   Kind  `json:"line"`
	Region Place `json:"region"` // of imbalance; of others where one region has most of it
	// Under is the innermost region that has most of it in those inside, where none has by
	// itself and this one is not around nearly all of the run.
	Under   Place   `json:"under,omitempty"`
	Share   float64 `json:"share"` // of units × run time
	Seconds float64 `json:"seconds"`
	Words   string  `json:"words"`
	Scope   string  `json:"scope"` // the region's own time, or with its parts
	Over    string  `json:"over"`  // the seconds are summed over the units
	Unit    string  `json:"unit"`
	// Joining marks the idle time of main threads that start others and wait for them, and
	// of threads that sleep while others have all cores: nothing is lost by it, for they
	// take no core.
	Joining bool `json:"joining,omitempty"`
}

// Spread is how the units of one role differ in the work of one region.
type Spread struct {
	Region  int     // of the input
	Slowest int     // the unit with most
	Most    float64 // its time
	Mean    float64 // over the units of its role
	Lost    float64 // seconds, summed over units, that are lost by it
	// With are the regions of the input that units do before they wait for each other,
	// too, so that differences there even out with these, or have to be mended with them;
	// Alone is by how many seconds the run would be shorter were this one balanced alone.
	// Without such regions it is what is lost by a unit.
	With  []int
	Alone float64
}

// Ledger is the account of units × run time.
type Ledger struct {
	Type       string  `json:"type"`
	Units      int     `json:"units"`
	RunSeconds float64 `json:"run_seconds"`
	Lines      []Line  `json:"lines"` // the largest first
	Cores      int     `json:"cores"` // 0 where not known
	// ByName tells that regions of one name count as one.
	ByName bool `json:"by_name"`
	// Groups gives the region under which each is counted; nil where every one
	// stands for itself.
	Groups []int `json:"-"`
	// Scatter tells that the imbalance of no region in particular is what the
	// noise makes, and no trouble.
	Scatter bool `json:"scatter"`
	// Noise is the relative scatter of a region's time that means nothing.
	Noise float64 `json:"noise"`
	// Chance is by how many seconds a unit's times deviate, over all regions, by where
	// samples happened to fall; 0 where times were measured.
	Chance float64 `json:"-"`
	// BeyondCPU tells that what others wait for is not CPU time alone: there was
	// input and output, or units were blocked.
	BeyondCPU bool `json:"-"`
	// Crowded tells that the units were more than the cores and kept them busy, so
	// that most of the time off them was waiting for one.
	Crowded bool `json:"crowded"`
	// OwnCores is what part of the cores' time the units had, where that leaves most of the
	// time that they stood ready to somebody else; 0 where it does not, or is not known.
	OwnCores float64 `json:"-"`
	// Idle are the units that did nothing.
	Idle []int `json:"-"`
	// WaitedIn are the regions of input and output of all in which units wait for each other.
	WaitedIn []int `json:"-"`
	// WaitedFor are the calls of communication in which some units are so much longer
	// that the others wait for them.
	WaitedFor []int `json:"-"`
	// Spreads are the regions of imbalance lines, the dearest first.
	Spreads []Spread `json:"-"`
}

// whole is the time the lines add up to.
func (l *Ledger) whole() float64 { return float64(l.Units) * l.RunSeconds }

// Total is the share of all lines of a kind.
func (l *Ledger) Total(k Kind) float64 {
	sum := 0.0
	for _, line := range l.Lines {
		if line.Kind == k {
			sum += line.Share
		}
	}
	return sum
}

// Of finds the line of a kind and region.
func (l *Ledger) Of(k Kind, region string) (Line, bool) {
	i := slices.IndexFunc(l.Lines, func(x Line) bool { return x.Kind == k && string(x.Region) == region })
	if i < 0 {
		return Line{}, false
	}
	return l.Lines[i], true
}

// Headline is what is to be said first.
type Headline struct {
	Kind   Kind    `json:"line"`
	Region Place   `json:"region"`
	Under  Place   `json:"under,omitempty"`
	Share  float64 `json:"share"`
}

func (l Line) headline() Headline { return Headline{l.Kind, l.Region, l.Under, l.Share} }

const (
	// Trouble is the least share of a run that is called so.
	Trouble = 0.02
	// worthSecond of the first is what makes the second worth a word.
	worthSecond = 0.5
)

// Headlines are the largest line that could be avoided, and the second where
// it is at least half as large. Lines of imbalance stand together, as one
// answer, under their largest; what is within the noise is none. Where
// nothing reaches Trouble the answer is the useful work.
func (l *Ledger) Headlines() []Headline {
	type entry struct {
		Headline
		weight float64
	}
	var all []entry
	for _, kind := range []Kind{Imbalance, Waiting, StartEnd, IO, SharedCores, Communication, Idle} {
		var e entry
		for _, line := range l.Lines {
			if line.Kind != kind || line.Joining || l.Scatter && kind == Imbalance && line.Region == "" {
				continue
			}
			e.weight += line.Share
			if line.Share > e.Share {
				e.Headline = line.headline()
			}
		}
		// Many small imbalances have to cost more together than one by itself:
		// noise makes such, too.
		if e.weight >= Trouble && !(kind == Imbalance && e.Share < Trouble && e.weight < 2*Trouble) {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.weight, a.weight) })
	switch {
	case len(all) == 0:
		return []Headline{{Kind: Useful, Share: l.Total(Useful)}}
	case len(all) > 1 && all[1].weight >= worthSecond*all[0].weight:
		return []Headline{all[0].Headline, all[1].Headline}
	}
	return []Headline{all[0].Headline}
}

// Worst is the largest line of a kind.
func (l *Ledger) Worst(k Kind) Headline {
	var out Headline
	for _, line := range l.Lines {
		if line.Kind == k && line.Share > out.Share {
			out = line.headline()
		}
	}
	return out
}

// Headline is the first of Headlines.
func (l *Ledger) Headline() Headline { return l.Headlines()[0] }
