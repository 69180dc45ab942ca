package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"auspex/p2psap"
)

// modelError is how far predictions of asynchronous and hybrid runs were off in
// most of the lab's runs (docs/p2psap.md): schemes nearer than this are not told
// apart.
const modelError = 0.15

// rank names the fastest scheme, or those that are too close to call.
func (out *p2pPrediction) rank() {
	if len(out.Schemes) < 2 {
		return
	}
	sorted := slices.SortedFunc(slices.Values(out.Schemes), func(a, b p2pPredictedScheme) int { return cmp.Compare(a.Seconds, b.Seconds) })
	for _, s := range sorted {
		if s.Seconds <= sorted[0].Seconds*(1+modelError) {
			out.Close = append(out.Close, s.Scheme)
		}
	}
	if len(out.Close) == 1 {
		out.Fastest, out.Close = &sorted[0].Scheme, []string{}
	}
}

func (out *p2pPrediction) sayFastest() string {
	if out.Fastest != nil {
		return fmt.Sprintf("The %s scheme is the fastest.", *out.Fastest)
	}
	last := len(out.Close) - 1
	return fmt.Sprintf("The %s and %s schemes are too close to call: the model is not surer than %.0f %%.", strings.Join(out.Close[:last], ", "), out.Close[last], 100*modelError)
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
