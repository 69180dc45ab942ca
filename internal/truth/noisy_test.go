package truth

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"auspex/account"
	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
	"auspex/store"
)

var every = flag.Uint64("every", 1, "take each so many seeds")

func TestNoisy(t *testing.T) {
	_ = context.Background
	s := store.Open(t.TempDir())
	table := map[Trouble]map[Trouble]int{}
	alarms := map[string][2]int{}
	for i := range uint64(*runs) {
		p := Noisy(*from + i**every)
		d := diagnosed(t, s, p.Experiment)
		said := saidOf(p, d)
		if table[p.Kind] == nil {
			table[p.Kind] = map[Trouble]int{}
		}
		table[p.Kind][said]++
		if p.Kind == None {
			c := alarms[p.Noise]
			c[1]++
			if said != None {
				c[0]++
			}
			alarms[p.Noise] = c
		}
		if *tell && said != p.Kind {
			x := ""
			if len(d.Causes) > 0 {
				x = fmt.Sprint(d.Causes[0].Region, d.Causes[0].LostShare, d.Causes[0].Attributes, len(d.Causes))
			}
			t.Logf("%s %s %d units %d steps: %s in %s lost %.3f, said %s: %v %v %v", p.Experiment.Name, p.Noise, len(p.Experiment.Units), 0, p.Kind, p.Region, p.Lost, said, d.Headline, d.Second, x)
		}
	}
	for _, k := range Troubles {
		t.Log(k, table[k])
	}
	t.Log(alarms)
}

func diagnosed(t *testing.T, s *store.Store, x *model.Experiment) *diagnose.Diagnosis {
	t.Helper()
	if err := s.Put(x, false); err != nil {
		t.Fatal(err)
	}
	defer s.Remove(x.Name)
	e, err := s.Get(x.Name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := analyze.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	found, err := diagnose.Run(context.Background(), d, analyze.ShippedWords(), diagnose.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// saidOf is the kind of trouble that a diagnosis tells of first; Other where it tells of the right kind in
// the wrong place.
func saidOf(p NoisyProfile, d *diagnose.Diagnosis) Trouble {
	all := []account.Headline{d.Headline}
	if d.Second != nil {
		all = append(all, *d.Second)
	}
	out := None
	for _, h := range all {
		k := kindOf(p, d, h)
		if k == p.Kind {
			return k
		}
		if out == None {
			out = k
		}
	}
	for _, c := range d.Causes {
		if c.LostShare >= account.Trouble && (out == None || out == Communication && p.Kind == None) {
			return Trouble("cause besides")
		}
	}
	return out
}

func kindOf(p NoisyProfile, d *diagnose.Diagnosis, h account.Headline) Trouble {
	switch h.Kind {
	case account.Communication:
		return Communication
	case account.IO:
		return InOut
	case account.Imbalance:
	case account.Useful:
		return None
	default:
		return Trouble(h.Kind)
	}
	switch {
	case d.Slower != nil:
		if p.Unit >= 0 && (len(d.Slower.Units) != 1 || d.Slower.Units[0].Process != p.Unit) {
			return "other straggler"
		}
		return Straggler
	case len(d.Causes) == 0:
		return "in small parts"
	}
	c := d.Causes[0]
	for _, x := range d.Causes {
		if x.Region == p.Region {
			c = x
		}
	}
	if p.Region != "" && c.Region != p.Region {
		return "elsewhere"
	}
	switch {
	case len(c.Only) > 0 && len(c.Only) < len(p.Experiment.Units):
		return SerialRegion
	case len(c.Attributes) == 0:
		return "unexplained"
	case strings.Contains(c.Attributes[0], "misses"):
		return Memory
	case d.Level == diagnose.Threads:
		return ThreadWork
	}
	return Computation
}
