package view

import (
	"auspex/account"
	"auspex/analyze"
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
	// Whole is what all regions lose in the way of Loss.
	Whole float64 `json:"whole"`
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
			g.Loss, g.Whole = &h, ledgers[0].Total(h.Kind)
		}
	}
	return g, nil
}
