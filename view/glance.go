package view

import (
	"path"
	"regexp"
	"strings"

	"auspex/account"
	"auspex/analyze"
	"auspex/model"
)

// Glance is what a list of runs says of one: how long it ran, how well, and what
// cost it most.
type Glance struct {
	Name       string             `json:"name"`
	ID         string             `json:"id"`
	Processes  int                `json:"processes"`
	Threads    int                `json:"threads"`
	Runtime    analyze.Real       `json:"runtime"` // seconds, of the slowest unit
	Efficiency analyze.Efficiency `json:"efficiency"`
	// Loss is the headline of the ledger; nil where nothing costs enough to be
	// called a loss, or no time was measured.
	Loss *account.Headline `json:"loss"`
	// Timed tells a run without loss from one without times.
	Timed bool `json:"timed"`
}

// GlanceAt looks at an experiment.
func GlanceAt(d *analyze.Dataset) (*Glance, error) {
	g := &Glance{Name: d.Name, ID: d.ID, Runtime: analyze.Missing,
		Efficiency: analyze.Efficiency{LoadBalance: analyze.Missing, Communication: analyze.Missing, Parallel: analyze.Missing}}
	g.Processes, g.Threads, _ = analyze.CountUnits(d.Units)
	t, err := d.Times()
	if err != nil {
		return g, nil // no time was measured
	}
	g.Timed, g.Runtime, g.Efficiency = true, analyze.Real(t.Runtime), t.Efficiency()
	ledgers, err := d.Ledgers()
	if err != nil {
		return nil, err
	}
	if len(ledgers) > 0 {
		if h := ledgers[0].Headline(); h.Kind != account.Useful {
			g.Loss = &h
		}
	}
	return g, nil
}

// sizes are the numbers, and what parts them, at the end of an experiment's name.
var sizes = regexp.MustCompile(`[-_.x ]*[0-9][-_.x0-9]*$`)

// ProgramOf names the program that an experiment is a run of: as it was recorded,
// else the experiment's name without the size at its end.
func ProgramOf(h *model.Header) string {
	if h.Program != "" {
		return path.Base(strings.ReplaceAll(h.Program, `\`, "/"))
	}
	if stem := sizes.ReplaceAllString(h.Name, ""); stem != "" {
		return stem
	}
	return h.Name
}
