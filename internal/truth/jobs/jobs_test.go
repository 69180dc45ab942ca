package jobs

import (
	"flag"
	"math"
	"strconv"
	"strings"
	"testing"

	"auspex/events"
	"auspex/events/job"
	"auspex/training"
	"auspex/whatif"
	"auspex/whatif/kept"
)

var (
	from  = flag.Uint64("from", 0, "the first seed")
	runs  = flag.Int("runs", 40, "how many jobs")
	even  = flag.Bool("even", false, "the seeds that nothing was tuned on")
	alien = flag.Bool("alien", false, "jobs of the other make, that nothing was tuned on")
	tell  = flag.Bool("misses", false, "say what was missed")
)

// each goes through the jobs that the flags ask for.
func each(t *testing.T, runs int, look func(*Job)) {
	for i := range uint64(runs) {
		seed := 2*(*from+i) + 1
		if *even {
			seed--
		}
		look(Generate(seed, *alien))
	}
}

func told(t *testing.T, g *Job) *training.Result {
	t.Helper()
	var ranks []*training.Rank
	for _, trace := range g.Traces {
		ranks = append(ranks, training.Summarize(trace))
	}
	r, err := training.Stragglers(ranks)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is planted in a training job is told first, with about what a cure brings, and
// nothing that is not so.
func TestPlanted(t *testing.T) {
	var tally Tally
	each(t, *runs, func(g *Job) { tally.Add(g, told(t, g)) })
	t.Log(&tally)
	for _, kind := range Troubles[2:] {
		n := tally.ByKind[kind]
		t.Logf("%s: %d planted, first %d, told %d", kind, n[0], n[1], n[2])
	}
	if *tell {
		for _, m := range tally.Misses {
			t.Log(m)
		}
	}
	few := func(n, of int, share float64) bool { return float64(n) <= share*float64(of) }
	if few(tally.First, tally.Planted, 0.9) || few(tally.AtAll, tally.Planted, 0.95) || !few(tally.Alarms, tally.Healthy, 0.02) || !few(tally.Untrue, tally.Claims, 0.02) || tally.Off() > 0.05 || tally.Wrong > 0 {
		t.Error("below the bars")
	}
}

// change is what `whatif` is asked about a trouble; nothing where it cannot be.
func change(g *Job) (whatif.Change, bool) {
	flag, value := "", ""
	switch g.Kind {
	case OneLoader, SlowDevice:
		flag, value = "like-median", strconv.Itoa(g.Rank)
	case Uneven:
		flag, value = "balance", "all"
	case SlowNetwork:
		flag, value = "network", "ideal"
	default:
		return whatif.Change{}, false
	}
	c, err := whatif.ParseChange(flag, value)
	if err != nil {
		panic(err)
	}
	return c, true
}

// What `whatif` promises of a cure comes.
func TestPromises(t *testing.T) {
	n, off, signs := 0, 0.0, 0
	each(t, *runs, func(g *Job) {
		c, is := change(g)
		if !is || g.Lost < worth {
			return
		}
		var lanes []*job.Lane
		for _, trace := range g.Traces {
			lanes = append(lanes, job.LaneOf(trace))
		}
		src, err := job.New("job", lanes)
		if err != nil {
			t.Fatal(err)
		}
		run := kept.Run{Timed: src}
		if run.Program, err = events.Program(t.Context(), src); err != nil {
			t.Fatal(err)
		}
		if err := run.Clock(t.Context()); err != nil {
			t.Fatal(err)
		}
		priced, err := run.Case(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		answer, err := priced.Price(t.Context(), []whatif.Change{c})
		if err != nil {
			t.Fatal(err)
		}
		if g.Kind == Uneven { // what ranks have in all is not what is uneven
			if says := strings.Contains(strings.Join(answer.Notes, " "), "evening out each step may gain more"); !says {
				t.Errorf("seed %d: %v", g.Seed, answer.Notes)
			}
			return
		}
		n++
		off += math.Abs(answer.Gain - g.Lost)
		if answer.Gain*g.Lost < 0 {
			signs++
		}
		if *tell && math.Abs(answer.Gain-g.Lost) > 0.05 {
			t.Logf("seed %d, %s (%s/%d, %d ranks, %d steps): promised %.3f, came %.3f: %s", g.Seed, g.Kind, g.Scheme, g.recipe.across, g.Ranks, g.recipe.steps, answer.Gain, g.Lost, answer.Words)
		}
	})
	t.Logf("%d promises, %.1f %% of the run off in the mean, %d of the wrong sign", n, 100*off/float64(max(n, 1)), signs)
	if off > 0.1*float64(n) || signs > 0 {
		t.Error("below the bars")
	}
}

// Each sentence is said of a job with its trouble, and of none without any.
func TestSentences(t *testing.T) {
	texts := map[Trouble]string{
		SlowLoading:  "while the hosts are loading data",
		SmallKernels: "because the hosts launch kernels more slowly than these run",
		Waits:        "because the hosts waited for them in aten::item",
		Copying:      "the devices only copy, most of it from pageable memory",
		SlowNetwork:  "is hidden behind computing",
		NoOverlap:    "beside which hardly anything is computed",
		Periodic:     "(in every ",
		HeavyLayer:   "takes much longer than its siblings",
		Bubbles:      "The stages of the pipeline wait",
		WarmUp:       "while the hosts are compiling in",
		Uneven:       "the others wait for one rank or another",
		ByTurns:      "the others wait for one rank or another",
	}
	found, healthy := map[Trouble]bool{}, 0
	for seed := uint64(1); len(found) < len(texts) || healthy < 3; seed += 2 {
		if seed > 400 {
			t.Fatalf("only %v are said", found)
		}
		g := Generate(seed, false)
		text, wanted := texts[g.Kind]
		if g.Kind != None && (!wanted || found[g.Kind] || g.Lost < worth) {
			continue
		}
		words := told(t, g).Words
		if wanted && strings.Contains(words, text) {
			found[g.Kind] = true
		}
		if g.Kind != None {
			continue
		}
		healthy++
		for kind, text := range texts {
			if strings.Contains(words, text) && g.Gain(kind) < worth/2 {
				t.Errorf("seed %d: %s", seed, words)
			}
		}
	}
}

// What is said of turns, and of bubbles, is said of jobs that have them, and not of those
// in which something else makes the ranks wait.
func TestTurns(t *testing.T) {
	const round, mostly, bubbles = "But the others wait for one rank or another, ", " % of the time, mostly for rank 0, though nothing there takes longer step after step.", "The stages of the pipeline wait"
	for _, c := range []struct {
		what   string
		seed   uint64
		alien  bool
		kind   Trouble
		scheme Scheme
		says   []string
		not    []string
	}{
		{"each of a tensor-parallel group is the last of another group", 595, false, ByTurns, TensorParallel, []string{round}, []string{"mostly"}},
		{"by chance one rank is last in each of three steps", 239, false, Uneven, DataParallel, []string{round, mostly}, nil},
		{"hosts that launch are behind now and then", 20049, true, SmallKernels, Sharded, nil, []string{round}},
		{"with few micro-batches", 67, false, Bubbles, Pipelined, []string{bubbles}, nil},
		{"more micro-batches would make hosts wait more often", 20551, true, Waits, Pipelined, []string{"because the hosts waited for them"}, []string{bubbles}},
	} {
		g := Generate(c.seed, c.alien)
		words := told(t, g).Words
		if g.Kind != c.kind || g.Scheme != c.scheme {
			t.Fatalf("%s: seed %d is %s, %s", c.what, c.seed, g.Kind, g.Scheme)
		}
		for _, text := range c.says {
			if !strings.Contains(words, text) {
				t.Errorf("%s: %q is not in %s", c.what, text, words)
			}
		}
		for _, text := range c.not {
			if strings.Contains(words, text) {
				t.Errorf("%s: %q is in %s", c.what, text, words)
			}
		}
	}
}
