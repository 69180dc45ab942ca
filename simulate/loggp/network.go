package loggp

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"auspex/trace"
)

// Network is how long messages take.
type Network struct {
	Latency   float64 `json:"latency"`   // seconds
	Bandwidth float64 `json:"bandwidth"` // bytes/s of one message; 0 stands for endless
	Overhead  float64 `json:"overhead"`  // seconds a rank spends on starting or taking in a message
	// EagerBelow: smaller messages leave without their receiver; 0 stands for
	// all.
	EagerBelow int64 `json:"eager_below"`
	// Joint: nobody leaves a collective before all have come, whatever it is.
	Joint bool `json:"joint"`
	// Algorithms are those of collectives that are not to take the best of the
	// known ones: ring, recursive-doubling, rabenseifner, binomial or linear.
	Algorithms map[trace.Kind]string `json:"-"`
}

// Ideal has no latency and endless bandwidth.
func Ideal() Network { return Network{} }

// transfer is how long a message is on its way.
func (n *Network) transfer(bytes int64) float64 {
	t := n.Latency
	if n.Bandwidth > 0 && bytes > 0 {
		t += float64(bytes) / n.Bandwidth
	}
	return t
}

func (n *Network) eager(bytes int64) bool { return n.EagerBelow <= 0 || bytes < n.EagerBelow }

// algorithms are the known ones of each collective, by how they cost: rounds of
// latency, and bytes on the way as a multiple of the collective's.
var algorithms = map[string]func(p float64, log float64) (rounds, volume float64){
	"linear":             func(p, _ float64) (float64, float64) { return p - 1, p - 1 },
	"binomial":           func(_, log float64) (float64, float64) { return log, log },
	"recursive-doubling": func(_, log float64) (float64, float64) { return log, log },
	"rabenseifner":       func(p, log float64) (float64, float64) { return 2 * log, 2 * (p - 1) / p },
	"ring":               func(p, _ float64) (float64, float64) { return 2 * (p - 1), 2 * (p - 1) / p },
}

// AlgorithmNames are the names that Network.Algorithms takes.
func AlgorithmNames() []string {
	var names []string
	for name := range algorithms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// CheckAlgorithm refuses a name that is none.
func CheckAlgorithm(name string) error {
	if _, ok := algorithms[name]; !ok {
		return fmt.Errorf("%q is not a known algorithm; %s are", name, strings.Join(AlgorithmNames(), ", "))
	}
	return nil
}

// cost is how long a collective of size ranks takes once nobody is waited for.
func (n *Network) cost(k trace.Kind, size int, bytes int64) float64 {
	if size < 2 {
		return 0
	}
	p, log := float64(size), float64(bits.Len(uint(size-1)))
	price := func(rounds, volume float64) float64 {
		t := rounds * (n.Latency + n.Overhead)
		if n.Bandwidth > 0 {
			t += volume * float64(bytes) / n.Bandwidth
		}
		return t
	}
	switch k {
	case trace.Alltoall, trace.Alltoallv, trace.Allgather, trace.Allgatherv, trace.Gather, trace.Gatherv, trace.Scatter, trace.Scatterv:
		rounds := log
		if k == trace.Alltoall || k == trace.Alltoallv {
			rounds = p - 1
		}
		return price(rounds, p-1)
	case trace.Barrier, trace.Fence:
		return log * (n.Latency + n.Overhead)
	}
	if name := n.Algorithms[k]; name != "" {
		return price(algorithms[name](p, log))
	}
	if k == trace.Bcast || k == trace.Reduce || k == trace.Scan || k == trace.Exscan {
		return min(price(log, log), price(log+p-1, 2*(p-1)/p))
	}
	best := math.Inf(1)
	for _, name := range []string{"recursive-doubling", "rabenseifner"} {
		best = min(best, price(algorithms[name](p, log)))
	}
	return best
}
