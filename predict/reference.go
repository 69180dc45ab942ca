package predict

import (
	"fmt"
	"slices"

	"auspex/signature"
)

// reference is the speed that the measuring machine counts as on a platform for
// ranks on these hosts, and the standard deviation of its logarithm. By signatures
// it is the platform's own reference, times how many times as long the same work
// takes there, with as many cores busy as ranks share a node, as it took here.
func (w *workshop) reference(p *Platform, hosts []int) (speed, doubt float64, err error) {
	if w.Here == nil || w.There == nil {
		return w.ReferenceSpeed, 0, nil
	}
	np := len(hosts)
	if !slices.Contains(w.Counts, np) {
		np = slices.Max(w.Counts) // of an extrapolated trace
	}
	here, there := signature.Load{Signature: w.Here, Busy: min(np, w.Here.Cores)}, signature.Load{Signature: w.There, Busy: w.PerNode}
	if there.Busy == 0 {
		there.Busy = crowd(hosts)
	}
	factor, doubt, err := signature.Factor(here, there, w.Mix)
	if err != nil {
		return 0, 0, fmt.Errorf("--here and --there: %w", err)
	}
	how := "the kinds of work the program is made of are not known, so this is their middle, and the interval allows for how far they lie apart"
	if len(w.Mix) > 0 {
		how = "by the mix of work that was given"
	}
	w.note("By the signatures, computation takes %.3g times as long on %s (cores busy on a node: %d) as here (%d): %s.", factor, p.Name, there.Busy, here.Busy, how)
	return p.ReferenceSpeed() * factor, doubt, nil
}

// crowd is how many ranks are on the host that has most.
func crowd(hosts []int) int {
	count, most := map[int]int{}, 0
	for _, h := range hosts {
		count[h]++
		most = max(most, count[h])
	}
	return most
}
