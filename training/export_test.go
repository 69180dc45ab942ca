package training

// Node is an operation of one worker in one step, as any engine can replay it.
type Node struct {
	After           []int // nodes that must have ended
	Measured, Ideal float64
}

// Nodes is a step of a table as nodes, and what the replay of this package makes
// of it with all times as measured and with all ideal ones. Transfers that seem
// to end before they begin, as clocks differ, take no time in either.
func Nodes(o *Operations, step int) (nodes []Node, measured, ideal float64, err error) {
	if err = o.Settle(); err != nil {
		return
	}
	l, _, err := o.spread()
	if err != nil {
		return
	}
	g, err := o.graph(l)
	if err != nil {
		return
	}
	w := &whatIf{o: o, l: l, g: g}
	w.transfers()
	for _, times := range l.time {
		for i := range times {
			times[i] = max(times[i], 0)
		}
	}
	w.idealTimes()
	nodes = make([]Node, len(o.ops)*l.data)
	for op := range o.ops {
		for lane := range l.data {
			n := &nodes[op*l.data+lane]
			n.Measured, n.Ideal = float64(l.time[op][step*l.data+lane]), w.ideal[o.ops[op].kind]
			members, lanes := []int32{int32(op)}, []int{lane}
			if group := g.group[op]; group >= 0 {
				members = g.groups[group]
				if g.across[group] {
					lanes = upTo(l.data)
				}
			}
			for _, m := range members {
				for _, dep := range g.deps[m] {
					for _, at := range lanes {
						n.After = append(n.After, int(dep)*l.data+at)
					}
				}
			}
		}
	}
	measured = w.replay(choice{keep: func(int) bool { return true }}, true)[step]
	ideal = w.one().replay(choice{keep: func(int) bool { return false }}, true)[0]
	return
}
