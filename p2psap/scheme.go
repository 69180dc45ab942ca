package p2psap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Scheme is how the iterations of peers go together.
type Scheme int

// The schemes, as the library numbers them.
const (
	Synchronous Scheme = iota
	Asynchronous
	Hybrid
)

var schemeNames = []string{"synchronous", "asynchronous", "hybrid"}

func (s Scheme) String() string { return schemeNames[s] }

// ParseScheme reads a scheme's name.
func ParseScheme(name string) (Scheme, error) {
	if i := slices.Index(schemeNames, name); i >= 0 {
		return Scheme(i), nil
	}
	return 0, fmt.Errorf("there is no scheme %q: it is synchronous, asynchronous or hybrid", name)
}

// ParseClusters reads the sizes of the clusters, such as 4,4, which must add up
// to the number of peers; empty text is one cluster.
func ParseClusters(text string, peers int) ([]int, error) {
	if text == "" {
		return []int{peers}, nil
	}
	var sizes []int
	sum := 0
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("clusters %q: %q is no number of peers", text, part)
		}
		sizes, sum = append(sizes, n), sum+n
	}
	if sum != peers {
		return nil, fmt.Errorf("clusters %s have %d peers together, but the run has %d", text, sum, peers)
	}
	return sizes, nil
}

// InOrder tells whether messages between two peers keep their order and are
// waited for; Reliable whether none is lost on its way.
func (s Scheme) InOrder(sameCluster bool) bool {
	return s == Synchronous || s == Hybrid && sameCluster
}

// Reliable is part of the protocol's table: only asynchronous messages between
// clusters may be lost.
func (s Scheme) Reliable(sameCluster bool) bool { return s == Synchronous || sameCluster }
