package truth

import (
	"slices"
	"strings"

	"auspex/account"
	"auspex/analyze/diagnose"
)

// What may be told besides the kinds of trouble.
const (
	SlowedUnit Trouble = "slowed unit" // that a neighbour, or a pace that drifts, has slowed: it is so
	Waiting    Trouble = "waiting"     // or communication, which noise from step to step costs
	OffCores   Trouble = "off the cores"
	Small      Trouble = "small parts" // uneven work in no region in particular
	Elsewhere  Trouble = "elsewhere"   // a region, or a unit, in which nothing was planted
	Unclear    Trouble = "unexplained" // the place, without what is behind it
)

// harmless is what may be told where nothing was planted: it is so all the same.
var harmless = []Trouble{None, SlowedUnit, Waiting, Communication, OffCores, Small}

// IsAlarm tells whether a diagnosis of a run without a planted cause that tells of such a
// trouble is wrong.
func IsAlarm(told Trouble) bool { return !slices.Contains(harmless, told) }

// Told is what a diagnosis tells of: the kind that was planted where it is among that,
// else what is wrong of it, else what comes first.
func (p *NoisyProfile) Told(d *diagnose.Diagnosis) Trouble {
	told := []Trouble{p.line(d.Headline)}
	if d.Second != nil {
		told = append(told, p.line(*d.Second))
	}
	if d.Slower != nil {
		told = append(told, p.slower(d))
	} else {
		for _, c := range d.Causes {
			if c.LostShare >= account.Trouble {
				told = append(told, p.cause(d, c))
			}
		}
	}
	told = slices.DeleteFunc(told, func(t Trouble) bool { return t == "" })
	switch {
	case slices.Contains(told, p.Kind):
		return p.Kind
	case p.Kind == None && slices.ContainsFunc(told, IsAlarm):
		return told[slices.IndexFunc(told, IsAlarm)]
	case len(told) == 0:
		return Small
	}
	return told[len(told)-1]
}

// line is what a line of the ledger tells of; nothing where its causes do.
func (p *NoisyProfile) line(h account.Headline) Trouble {
	switch h.Kind {
	case account.Useful:
		return None
	case account.Communication:
		return Communication
	case account.IO:
		return InOut
	case account.SharedCores:
		return OffCores
	case account.Imbalance:
		return ""
	}
	return Waiting
}

func (p *NoisyProfile) slower(d *diagnose.Diagnosis) Trouble {
	is := func(unit int) bool {
		return slices.ContainsFunc(d.Slower.Units, func(n diagnose.Name) bool { return n.Process+n.Thread == unit })
	}
	switch {
	case p.Kind == Straggler && is(p.Unit):
		return Straggler
	case p.Noise == "ar1" || is(p.Slowed):
		return SlowedUnit
	}
	return Elsewhere
}

func (p *NoisyProfile) cause(d *diagnose.Diagnosis, c diagnose.Cause) Trouble {
	switch {
	case p.Region == "" || c.Region != p.Region:
		return Elsewhere
	case p.Kind == SerialRegion && len(c.Only) == 1 && c.Only[0].Process == p.Unit:
		return SerialRegion
	case len(c.Attributes) == 0:
		return Unclear
	case strings.Contains(c.Attributes[0], "misses"):
		return Memory
	case d.Level == diagnose.Threads:
		return ThreadWork
	}
	return Computation
}
