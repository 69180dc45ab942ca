package truth

import (
	"fmt"
	"slices"
	"strings"

	"auspex/account"
	"auspex/analyze/diagnose"
	"auspex/model"
)

// Tally counts what was right.
type Tally struct {
	Profiles, Balanced, Alarms int
	Planted, Regions           int
	Explained, Causes          int
	Unexplained, SaidSo        int
	Headlines, HeadlinesRight  int
	Claimed, False             int               // causes told with 2 % of the run at least, and those where there is none
	ByPattern                  map[string][2]int // planted, region and cause right
	Misses                     []string
}

// goesWith are the metrics that grow with more work by construction, so that
// naming them beside the cause is right; so are misses where no instructions
// were counted to set them against.
var (
	goesWith = []string{model.Instructions, model.Iterations, "elements"}
	misses   = []string{model.L1Misses, model.L2Misses, model.L3Misses}
)

// Add scores the diagnosis of a profile.
func (t *Tally) Add(p Profile, d *diagnose.Diagnosis) {
	if t.ByPattern == nil {
		t.ByPattern = map[string][2]int{}
	}
	t.Profiles++
	t.claims(p, d)
	miss := func(format string, args ...any) {
		t.Misses = append(t.Misses, p.Experiment.Name+": "+fmt.Sprintf(format, args...))
	}
	if len(p.Planted) == 0 {
		t.Balanced++
		if d.Headline.Kind == account.Imbalance || slices.ContainsFunc(d.Causes, func(c diagnose.Cause) bool { return c.LostShare >= account.Trouble }) {
			t.Alarms++
			miss("balanced, but %s in %s, %.3f", d.Headline.Kind, d.Headline.Region, d.Headline.Share)
		}
		return
	}
	dearest := p.Planted[0]
	for _, c := range p.Planted {
		if c.Lost > dearest.Lost {
			dearest = c
		}
		t.one(p, c, d, miss)
	}
	t.Headlines++
	said := string(d.Headline.Region)
	second := func(c Planted) bool { return c.Lost >= 0.9*dearest.Lost && c.has(said) }
	// What momentary noise has ranks wait may be more than what they have more to do.
	dearer := p.Lost != nil && d.Headline.Kind != account.Useful && d.Headline.Share >= dearest.Lost
	if dearer || d.Headline.Kind == account.Imbalance && (dearest.has(said) || slices.ContainsFunc(p.Planted, second)) {
		t.HeadlinesRight++
	} else {
		miss("headline %s %s %.3f, planted %s %.3f", d.Headline.Kind, d.Headline.Region, d.Headline.Share, dearest.Region, dearest.Lost)
	}
}

func (t *Tally) one(p Profile, c Planted, d *diagnose.Diagnosis, miss func(string, ...any)) {
	t.Planted++
	counts := t.ByPattern[c.Pattern]
	counts[0]++
	defer func() { t.ByPattern[c.Pattern] = counts }()
	if c.Cause == "" {
		t.Unexplained++
	} else {
		t.Explained++
	}
	i := slices.IndexFunc(d.Causes, func(x diagnose.Cause) bool { return c.has(x.Region) })
	if i < 0 && len(p.behind(c.Region[:max(0, strings.LastIndex(c.Region, "/"))])) > 1 { // parts that all vary as the whole are told as the whole
		i = slices.IndexFunc(d.Causes, func(x diagnose.Cause) bool { return strings.HasPrefix(c.Region, x.Region+"/") })
	}
	if i < 0 {
		miss("region %s (%s, %s, %.3f) not found", c.Region, c.Pattern, c.Cause, c.Lost)
		return
	}
	t.Regions++
	named := d.Causes[i].Attributes
	if c.Cause == "" {
		if len(named) == 0 {
			t.SaidSo++
			counts[1]++
		} else {
			miss("region %s (%s) has no cause, said %v", c.Region, c.Pattern, named)
		}
		return
	}
	if right(c.Cause, named, p.behind(d.Causes[i].Region)) {
		t.Causes++
		counts[1]++
	} else {
		miss("region %s (%s, %d ranks) is caused by %s, said %v", c.Region, c.Pattern, len(p.Experiment.Units), c.Cause, named)
	}
}

// has tells whether a cause is in a region: where it was planted, or in a part that has
// it, too.
func (c *Planted) has(region string) bool {
	return region == c.Region || slices.Contains(c.Parts, region)
}

// claims counts what is told of regions without a planted cause: false where a metric
// is named, or more is lost by the account than the region loses.
func (t *Tally) claims(p Profile, d *diagnose.Diagnosis) {
	for _, x := range d.Causes {
		if x.LostShare < account.Trouble {
			continue
		}
		t.Claimed++
		if slices.ContainsFunc(p.Planted, func(c Planted) bool {
			return c.has(x.Region) || strings.HasPrefix(c.Region, x.Region+"/")
		}) || len(x.Attributes) == 0 && p.Lost[x.Region] >= float64(x.LostShare)/2 {
			continue
		}
		t.False++
		t.Misses = append(t.Misses, fmt.Sprintf("%s: told %s %.3f %v, where nothing was planted and %.3f is lost", p.Experiment.Name, x.Region, float64(x.LostShare), x.Attributes, p.Lost[x.Region]))
	}
}

// behind are the causes planted in a region and below it.
func (p *Profile) behind(region string) []string {
	var out []string
	for _, c := range p.Planted {
		if c.has(region) || strings.HasPrefix(c.Region, region+"/") {
			out = append(out, c.Cause)
		}
	}
	return out
}

// right tells whether the cause is named and nothing beside it but what goes
// with it, or was planted there as well.
func right(cause string, named, planted []string) bool {
	found := false
	for _, n := range named {
		base, _ := strings.CutSuffix(n, "/"+model.Instructions)
		switch {
		case base == cause, slices.Contains(goesWith, cause) && slices.Contains(goesWith, base):
			found = true
		case slices.Contains(goesWith, cause) && slices.Contains(misses, n), slices.Contains(planted, base):
		default:
			return false
		}
	}
	return found
}

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// RegionShare is the share of planted causes whose region was found, and so on.
func (t *Tally) RegionShare() float64   { return share(t.Regions, t.Planted) }
func (t *Tally) CauseShare() float64    { return share(t.Causes, t.Explained) }
func (t *Tally) HeadlineShare() float64 { return share(t.HeadlinesRight, t.Headlines) }
func (t *Tally) AlarmShare() float64    { return float64(t.Alarms) / float64(max(1, t.Balanced)) }
func (t *Tally) SaidSoShare() float64   { return share(t.SaidSo, t.Unexplained) }

func (t *Tally) String() string {
	return fmt.Sprintf("%d profiles: region right %.1f %% of %d, cause right %.1f %% of %d, headline right %.1f %% of %d, false alarms %.1f %% of %d, unexplained said so %.1f %% of %d, told where there is none %d of %d",
		t.Profiles, 100*t.RegionShare(), t.Planted, 100*t.CauseShare(), t.Explained, 100*t.HeadlineShare(), t.Headlines,
		100*t.AlarmShare(), t.Balanced, 100*t.SaidSoShare(), t.Unexplained, t.False, t.Claimed)
}
