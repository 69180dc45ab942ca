package predict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"auspex/signature"
)

// signatures finds that of each platform's nodes, where computation is to be scaled by
// signatures.
func (w *workshop) signatures(given bool) error {
	w.there = map[*Platform]*signature.Signature{}
	for i := range w.Platforms {
		p := &w.Platforms[i]
		switch {
		case w.There != nil:
			w.there[p] = w.There
		case !given:
			s, err := p.Elsewhere()
			if err != nil {
				return err
			}
			if s != nil {
				w.there[p] = s
			}
		}
	}
	return nil
}

// Elsewhere is the signature of the machine that the platform was measured from, nil
// where it holds none or that machine is like this one.
func (p *Platform) Elsewhere() (*signature.Signature, error) {
	if p.Options.Signature == "" {
		return nil, nil
	}
	s, err := signature.Read(strings.NewReader(p.Options.Signature))
	if err != nil {
		return nil, fmt.Errorf("%s: auspex/signature: %w", p.Name, err)
	}
	if s.Here() {
		return nil, nil
	}
	return s, nil
}

// reference is the speed that the measuring machine counts as on a platform for
// ranks on these hosts, and the standard deviation of its logarithm. By signatures
// it is the platform's own reference, times how many times as long the same work
// takes there, with as many cores busy as ranks share a node, as it took here.
func (w *workshop) reference(p *Platform, hosts []int) (speed, doubt float64, err error) {
	nodes := w.there[p]
	if nodes == nil {
		return w.ReferenceSpeed, 0, nil
	}
	np := len(hosts)
	if !slices.Contains(w.Counts, np) {
		np = slices.Max(w.Counts) // of an extrapolated trace
	}
	busy, known := w.busy[np]
	if !known {
		busy = min(np, w.here.Cores)
	}
	here, there := signature.Load{Signature: w.here, Busy: busy}, signature.Load{Signature: nodes, Busy: w.PerNode}
	if there.Busy == 0 {
		there.Busy = crowd(hosts)
		if n := len(p.Options.MeasuredOn); n > 0 { // hosts of the file may be cores of one
			there.Busy = max(there.Busy, min((len(hosts)+n-1)/n, nodes.Cores))
		}
	}
	factor, doubt, err := signature.Factor(here, there, w.Mix)
	if err != nil {
		return 0, 0, fmt.Errorf("the signature of %s: %w", p.Name, err)
	}
	how := "the kinds of work the program is made of are not known, so this is their middle, and the interval allows for how far they lie apart"
	if len(w.Mix) > 0 {
		how = "by the mix of work that was given"
	}
	w.note("By the signatures, computation takes %.3g times as long on %s (cores busy on a node: %d) as here (%d): %s.", factor, p.Name, there.Busy, here.Busy, how)
	return p.ReferenceSpeed() * factor, doubt, nil
}

// looks is how often each kernel of a signature is run at a time between traces.
const looks = 3

// between takes this machine's signature between traces: how fast a machine is
// changes by the hour on many, by a quarter and more on virtual ones, and a signature
// of another hour would count that as the program's. A nil one measures nothing.
type between struct{ meter *signature.Meter }

// watchMachine begins to measure this machine for traces of so many ranks, where
// that is wanted.
func (w *workshop) watchMachine(np int) *between {
	if len(w.there) == 0 || w.Here != nil {
		return nil
	}
	return &between{signature.NewMeter(np)}
}

func (b *between) look(ctx context.Context) error {
	if b == nil {
		return nil
	}
	return b.meter.Look(ctx, looks)
}

// signature is what was measured, or what was known where nothing was.
func (b *between) signature(known *signature.Signature) *signature.Signature {
	if b == nil {
		return known
	}
	return b.meter.Signature()
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
