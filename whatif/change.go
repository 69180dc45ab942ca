package whatif

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"auspex/events"
	"auspex/internal/figure"
	"auspex/simulate/loggp"
	"auspex/trace"
)

// Change is one thing that is to be different.
type Change struct {
	Kind   Kind
	Region string  // of Faster, Balance and Remove; All stands for all
	Rank   int     // of LikeMedian
	Also   []int   // of LikeMedian: other ranks, which are slow as well
	Factor float64 // of Faster, Bandwidth, Latency and Hosts: how many times as fast or as much
	Bytes  int64   // of Eager
	Call   trace.Kind
	Word   string // of Collective: the algorithm
}

// Kind is a kind of change.
type Kind string

const (
	Faster       Kind = "faster"
	Balance      Kind = "balance"
	Remove       Kind = "remove"
	LikeMedian   Kind = "like-median"
	Ideal        Kind = "network ideal"
	Bandwidth    Kind = "network bandwidth"
	Latency      Kind = "network latency"
	Collective   Kind = "collective"
	Eager        Kind = "eager"
	Hosts        Kind = "hosts"
	RanksPerNode Kind = "ranks-per-node"
	NoNoise      Kind = "noise none"
	Cores        Kind = "cores enough"
)

// All stands for all regions.
const All = "all"

// String writes a change as the command line takes it.
func (c Change) String() string {
	times := func() string { return strconv.FormatFloat(c.Factor, 'g', -1, 64) }
	switch c.Kind {
	case Faster:
		return "--faster " + c.Region + "=" + times()
	case Balance, Remove:
		return "--" + string(c.Kind) + " " + c.Region
	case LikeMedian, RanksPerNode:
		text := fmt.Sprintf("--%s %d", c.Kind, c.Rank)
		for _, rank := range c.Also {
			text += fmt.Sprintf(" --%s %d", c.Kind, rank)
		}
		return text
	case Bandwidth:
		return "--network bandwidth=" + times() + "x"
	case Latency:
		if c.Factor == 0 {
			return "--network latency=0"
		}
		return "--network latency=" + times() + "x"
	case Collective:
		return "--collective " + c.Call.String() + "=" + c.Word
	case Eager:
		return fmt.Sprintf("--eager %d", c.Bytes)
	case Hosts:
		return "--hosts speed=" + times() + "x"
	}
	return "--" + string(c.Kind)
}

// Spoken says what is different, as it follows "with".
func (c Change) Spoken() string {
	region := events.Quoted(c.Region)
	if c.Region == All {
		region = "all work"
	}
	switch c.Kind {
	case Faster:
		return region + " " + times(c.Factor) + " as fast"
	case Balance:
		return region + " balanced over the ranks"
	case Remove:
		return region + " removed"
	case LikeMedian:
		if len(c.Also) > 0 {
			return "ranks " + named(texts(append([]int{c.Rank}, c.Also...)), "and") + " as fast as the others"
		}
		return fmt.Sprintf("rank %d as fast as the others", c.Rank)
	case RanksPerNode:
		return fmt.Sprintf("%d ranks on a node", c.Rank)
	case Ideal:
		return "an ideal network"
	case Bandwidth:
		return times(c.Factor) + " the bandwidth"
	case Latency:
		if c.Factor == 0 {
			return "no latency"
		}
		return times(c.Factor) + " the latency"
	case Collective:
		return fmt.Sprintf("%s by %s", c.Call, c.Word)
	case Eager:
		if c.Bytes == 0 {
			return "no message sent eagerly"
		}
		return fmt.Sprintf("messages below %d bytes sent eagerly", c.Bytes)
	case Hosts:
		return "hosts " + times(c.Factor) + " as fast"
	}
	if c.Kind == Cores {
		return "a core for every rank"
	}
	return "no noise"
}

func times(factor float64) string {
	switch factor {
	case 0.5:
		return "half"
	case 2:
		return "twice"
	}
	return figure.Number(factor, 4) + " times"
}

// ParseChange reads the value of one of the command's flags.
func ParseChange(flag, value string) (Change, error) {
	switch flag {
	case "faster":
		region, number, ok := cutLast(value, '=')
		f, err := factor(number)
		if !ok || region == "" || err != nil || f == 0 {
			return Change{}, fmt.Errorf("--faster %q: write it as REGION=2, %s", value, factors)
		}
		return Change{Kind: Faster, Region: region, Factor: f}, nil
	case "balance", "remove":
		if value == "" {
			return Change{}, fmt.Errorf("--%s needs a region", flag)
		}
		return Change{Kind: Kind(flag), Region: value}, nil
	case "like-median", "ranks-per-node":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || flag == "ranks-per-node" && n == 0 {
			return Change{}, fmt.Errorf("--%s %q: write a number", flag, value)
		}
		return Change{Kind: Kind(flag), Rank: n}, nil
	case "network":
		return parseNetwork(value)
	case "collective":
		return parseCollective(value)
	case "eager":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			return Change{}, fmt.Errorf("--eager %q: write a number of bytes", value)
		}
		return Change{Kind: Eager, Bytes: n}, nil
	case "hosts":
		number, ok := strings.CutPrefix(value, "speed=")
		f, err := factor(number)
		if !ok || err != nil || f == 0 {
			return Change{}, fmt.Errorf("--hosts %q: write it as speed=1.5x, %s", value, factors)
		}
		return Change{Kind: Hosts, Factor: f}, nil
	case "cores":
		if value != "enough" {
			return Change{}, fmt.Errorf("--cores %q: only enough is known", value)
		}
		return Change{Kind: Cores}, nil
	case "noise":
		if value != "none" {
			return Change{}, fmt.Errorf("--noise %q: only none is known", value)
		}
		return Change{Kind: NoNoise}, nil
	}
	return Change{}, fmt.Errorf("there is no change --%s", flag)
}

func cutLast(s string, sep byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// mostTimes is how many times as fast or as slow something may be asked to be: beyond
// that no answer would mean anything.
const mostTimes = 1e6

// factors says which there may be.
const factors = "with a number from 0.000001 to 1000000"

// factor reads 2, 1.5x or 0.
func factor(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || v != 0 && !(v >= 1/mostTimes && v <= mostTimes) {
		return 0, fmt.Errorf("%q is no number %s", text, factors)
	}
	return v, nil
}

func parseNetwork(value string) (Change, error) {
	if value == "ideal" {
		return Change{Kind: Ideal}, nil
	}
	key, number, ok := strings.Cut(value, "=")
	f, err := factor(number)
	switch {
	case !ok || err != nil:
	case key == "bandwidth" && f > 0:
		return Change{Kind: Bandwidth, Factor: f}, nil
	case key == "latency":
		return Change{Kind: Latency, Factor: f}, nil
	}
	return Change{}, fmt.Errorf("--network %q: write ideal, bandwidth=2x or latency=0, %s", value, factors)
}

// collectiveCalls are those whose algorithm can be chosen.
var collectiveCalls = map[string]trace.Kind{
	"allreduce": trace.Allreduce, "bcast": trace.Bcast, "reduce": trace.Reduce, "reducescatter": trace.ReduceScatter,
}

func parseCollective(value string) (Change, error) {
	call, algorithm, _ := strings.Cut(value, "=")
	k, ok := collectiveCalls[call]
	if !ok {
		return Change{}, fmt.Errorf("--collective %q: write it as CALL=ALGORITHM, with allreduce, bcast, reduce or reducescatter", value)
	}
	if slices.Contains(selectors, algorithm) {
		return Change{Kind: Collective, Call: k, Word: algorithm}, nil
	}
	if err := loggp.CheckAlgorithm(algorithm); err != nil {
		return Change{}, fmt.Errorf("--collective %q: %w; on a platform default, ompi and mpich are, too", value, err)
	}
	return Change{Kind: Collective, Call: k, Word: algorithm}, nil
}

// Offers are the values that a change's flag may have, as far as there is a list of
// them; after one that ends in = a number follows.
func Offers(flag string) []string {
	switch flag {
	case "network":
		return []string{"ideal", "bandwidth=", "latency="}
	case "collective":
		var all []string
		for _, call := range slices.Sorted(maps.Keys(collectiveCalls)) {
			for _, algorithm := range slices.Concat(loggp.AlgorithmNames(), selectors) {
				all = append(all, call+"="+algorithm)
			}
		}
		return all
	case "hosts":
		return []string{"speed="}
	case "cores":
		return []string{"enough"}
	case "noise":
		return []string{"none"}
	}
	return nil
}

// selectors are the decision tables a platform's replay knows.
var selectors = []string{"default", "ompi", "mpich"}
