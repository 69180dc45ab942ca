package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"auspex/p2psap"
)

// modelError is how far a prediction strays from real runs, as a share: the ratio
// of the asynchronous and the hybrid scheme's predictions was off by √2 times as much
// in the lab's twelve cases of 4 and 8 peers (docs/p2psap.md).
const modelError = 0.05

// A scheme is called the fastest from the first of these probabilities on, and
// probably the fastest from the second.
const (
	surely   = 0.95
	probably = 2.0 / 3
)

// sure is the probability that what is predicted to take the first of some times
// takes less than all the others, where the logarithms of all predictions err
// normally, by the model's error, and independently of one another.
func sure(first float64, others ...float64) float64 {
	const step = 0.01
	sum := 0.0
	for z := -6.0; z <= 6; z += step { // how far off the first is, in deviations
		all := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		for _, other := range others {
			all *= math.Erfc(-(math.Log(other/first)/modelError-z)/math.Sqrt2) / 2
		}
		sum += all * step
	}
	return sum
}

// oneEach tells whether each cluster has one peer: then nothing is inside a cluster,
// and the asynchronous and the hybrid scheme are one and the same.
func oneEach(clusters []int) bool {
	return !slices.ContainsFunc(clusters, func(size int) bool { return size > 1 })
}

// rank names the fastest scheme, and those that may be it as well. Of two that are
// the same one stands for both.
func (out *p2pPrediction) rank() {
	if len(out.Schemes) < 2 {
		return
	}
	sorted := slices.SortedFunc(slices.Values(out.Schemes), func(a, b p2pPredictedScheme) int { return cmp.Compare(a.Seconds, b.Seconds) })
	if oneEach(out.Clusters) {
		sorted = slices.DeleteFunc(sorted, func(s p2pPredictedScheme) bool { return s.Scheme == p2psap.Hybrid.String() })
	}
	var others []float64
	for _, s := range sorted[1:] {
		others = append(others, s.Seconds)
	}
	out.Sure = sure(sorted[0].Seconds, others...)
	if out.Sure >= probably {
		out.Fastest = &sorted[0].Scheme
	}
	if out.Sure >= surely {
		return
	}
	for i, s := range sorted { // one in a hundred is no rival
		if i <= 1 || sure(sorted[0].Seconds, s.Seconds) < 0.99 {
			out.Close = append(out.Close, s.Scheme)
		}
	}
}

func (out *p2pPrediction) sayFastest() string {
	percent := min(math.Floor(100*out.Sure), 99)
	if out.Sure >= surely {
		return fmt.Sprintf("The %s scheme is the fastest, with a probability of %.0f %% by how far such predictions were off in the lab.", *out.Fastest, percent)
	}
	last := len(out.Close) - 1
	if out.Fastest != nil {
		others := strings.Join(out.Close[1:], " or the ")
		return fmt.Sprintf("The %s scheme is probably the fastest (%.0f %%); it may be the %s one.", *out.Fastest, percent, others)
	}
	return fmt.Sprintf("The %s and %s schemes are too close to call: the %s one is the fastest with a probability of %.0f %%.", strings.Join(out.Close[:last], ", "), out.Close[last], out.Close[0], percent)
}

// p2pReal is what real runs of a scheme took on the platform predicted for.
type p2pReal struct {
	Runs    int     `json:"runs"`
	Seconds float64 `json:"seconds"` // the median
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Off     float64 `json:"off"` // of the prediction, a share
}

// compare holds a prediction against real runs.
func (out *p2pPrediction) compare(files []string) error {
	seconds := map[string][]float64{}
	for _, file := range files {
		p, err := p2psap.ReadProfile(file)
		if err != nil {
			return err
		}
		if !slices.Equal(p.Clusters, out.Clusters) {
			return usagef("--real %s: it is of clusters of %v peers, the prediction of %v", file, p.Clusters, out.Clusters)
		}
		seconds[p.Scheme] = append(seconds[p.Scheme], p.Seconds)
	}
	if a, h := p2psap.Asynchronous.String(), p2psap.Hybrid.String(); oneEach(out.Clusters) && len(seconds[a])*len(seconds[h]) > 0 {
		seconds[a] = append(seconds[a], seconds[h]...)
		seconds[h] = seconds[a]
	}
	for i := range out.Schemes {
		s := &out.Schemes[i]
		if all := slices.Sorted(slices.Values(seconds[s.Scheme])); len(all) > 0 {
			s.Real = &p2pReal{len(all), all[(len(all)-1)/2], all[0], all[len(all)-1], 0}
			s.Real.Off = s.Seconds/s.Real.Seconds - 1
		}
	}
	out.Named = out.judge()
	return nil
}

// judge tells whether the fastest scheme was named rightly: the one named is the
// fastest in reality, or its median lies within the runs of the fastest. Nil
// where not all schemes were run.
func (out *p2pPrediction) judge() *string {
	var fastest, named *p2pReal
	for _, s := range out.Schemes {
		if s.Real == nil {
			return nil
		}
		if fastest == nil || s.Real.Seconds < fastest.Seconds {
			fastest = s.Real
		}
		if out.Fastest != nil && s.Scheme == *out.Fastest {
			named = s.Real
		}
	}
	switch {
	case len(out.Schemes) < 2:
		return nil
	case named == nil:
		return new("too close to call")
	case named.Seconds <= fastest.High:
		return new("right")
	}
	return new("wrong")
}
