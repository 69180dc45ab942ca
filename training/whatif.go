package training

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"auspex/internal/figure"
)

// whatIf is a table of operations ready to be replayed.
type whatIf struct {
	o     *Operations
	l     *lanes
	g     *graph
	ideal []float64 // by kind
}

// negligible is by how much a transfer may seem to end before its group came
// together, as clocks differ; beyond that it is taken to be of no length.
const negligible = 1e-2 // seconds

// WhatIf answers what a job would take were every operation as fast as the mean
// of its kind over all workers and steps (transfers: the median), and what a
// rank, a stage or a kind of operation alone costs (arXiv 2505.05713). The table
// is used up.
func WhatIf(o *Operations) (*Result, error) {
	if err := o.Settle(); err != nil {
		return nil, err
	}
	l, leftOut, err := o.spread()
	if err != nil {
		return nil, err
	}
	g, err := o.graph(l)
	if err != nil {
		return nil, err
	}
	w := &whatIf{o: o, l: l, g: g}
	w.transfers()
	w.idealTimes()
	result := &Result{Ranks: []RankResult{}, Stages: []StageSlowdown{}, Kinds: []KindSlowdown{}, Steps: []StepWait{}, Stragglers: []Straggler{}, Holds: []Hold{}, Notes: []string{}, World: o.Workers(), Present: o.Workers()}
	result.Notes = append(result.Notes, o.notes...)
	if leftOut > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("%d of %d steps are left out, as not every worker did every operation in them", leftOut, leftOut+len(l.steps)))
	}
	if err := w.answer(result); err != nil {
		return nil, err
	}
	result.Pace = w.pace()
	result.Words = result.jobWords()
	return result, nil
}

// transfers takes from each operation of a group the time in which it waited
// for the last of the group to start.
func (w *whatIf) transfers() {
	n := len(w.l.steps) * w.l.data
	last := make([]float64, n)
	for i, members := range w.g.groups {
		copy(last, w.l.start[members[0]])
		for _, m := range members[1:] {
			for lane, v := range w.l.start[m] {
				last[lane] = max(last[lane], v)
			}
		}
		if w.g.across[i] {
			for at := 0; at < n; at += w.l.data {
				step := last[at : at+w.l.data]
				latest := slices.Max(step)
				for d := range step {
					step[d] = latest
				}
			}
		}
		for _, m := range members {
			for lane := range last {
				t := w.l.start[m][lane] + float64(w.l.time[m][lane]) - last[lane]
				if t <= -negligible {
					t = 0
				}
				w.l.time[m][lane] = float32(t)
			}
		}
	}
	w.l.start = nil
}

func (w *whatIf) idealTimes() {
	for kind, name := range w.o.kinds {
		var ops []int
		for i, op := range w.o.ops {
			if int(op.kind) == kind {
				ops = append(ops, i)
			}
		}
		if len(ops) == 0 {
			w.ideal = append(w.ideal, 0)
			continue
		}
		if !isTransfer(name) {
			var sum float64
			for _, op := range ops {
				for _, v := range w.l.time[op] {
					sum += float64(v)
				}
			}
			w.ideal = append(w.ideal, sum/float64(len(ops)*len(w.l.time[ops[0]])))
			continue
		}
		all := make([]float32, 0, len(ops)*len(w.l.time[ops[0]]))
		for _, op := range ops {
			all = append(all, w.l.time[op]...)
		}
		w.ideal = append(w.ideal, middle(all))
	}
}

// pace is the ideal time of each kind of operation that computes.
func (w *whatIf) pace() []Pace {
	list := []Pace{}
	count := map[int32]int{}
	for _, op := range w.o.ops {
		count[op.kind]++
	}
	for kind, name := range w.o.kinds {
		if n := count[int32(kind)]; n > 0 && !isTransfer(name) {
			list = append(list, Pace{What: name, Count: n, Mean: w.ideal[kind]})
		}
	}
	return list
}

// middle is the median, the mean of the middle two of an even number; the
// values are moved about.
func middle(values []float32) float64 {
	half := len(values) / 2
	upper := float64(selected(values, half))
	if len(values)%2 == 1 {
		return upper
	}
	return (float64(slices.Max(values[:half])) + upper) / 2
}

// selected is the value that would stand at a place were the values sorted;
// the lower ones are moved before it (Hoare's quickselect).
func selected(values []float32, at int) float32 {
	low, high := 0, len(values)-1
	for low < high {
		a, b, c := values[low], values[(low+high)/2], values[high]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case at <= j:
			high = j
		case at >= i:
			low = i
		default:
			return values[at]
		}
	}
	return values[at]
}

func average(times []float64) float64 {
	var sum float64
	for _, t := range times {
		sum += t
	}
	return sum / float64(len(times))
}

func (w *whatIf) answer(result *Result) error {
	all := func(int) bool { return true }
	nothing := func(int) bool { return false }
	measured := w.replay(choice{keep: all}, true)
	ideal := w.one().replay(choice{keep: nothing}, false)[0]
	if !(ideal > 0) {
		return errors.New("the operations of the table take no time")
	}
	steps := float64(len(w.l.steps))
	now := average(measured)
	slowdown, idealSeconds := now/ideal, ideal*steps
	result.Seconds, result.Ideal, result.Slowdown = now*steps, &idealSeconds, &slowdown
	for i, step := range w.l.steps {
		result.Steps = append(result.Steps, StepWait{Step: step, Seconds: measured[i]})
	}
	byData := make([]float64, w.l.data)
	for d := range byData {
		times := w.two(d).replay(choice{keep: nothing, except: func(_, lane int) bool { return lane == 0 }}, false)
		byData[d] = average(times) / ideal
		result.Ranks = append(result.Ranks, RankResult{Rank: w.o.dataLabels[d], Slowdown: &byData[d], Regions: []RegionTime{}})
		for i, t := range times { // the rank that costs most is the last of the step
			if s := &result.Steps[i]; t-ideal > s.Waited {
				s.LastRank, s.Waited = &w.o.dataLabels[d], t-ideal
			}
		}
	}
	byStage := make([]float64, w.o.stages)
	for stage := range byStage {
		keep := func(op int) bool { return int(w.o.ops[op].stage) == stage }
		byStage[stage] = average(w.replay(choice{keep: keep}, false)) / ideal
		result.Stages = append(result.Stages, StageSlowdown{w.o.stageLabels[stage], byStage[stage]})
	}
	w.kinds(result, ideal)
	if idealWhole := w.one().replay(choice{keep: nothing}, true)[0]; now > idealWhole {
		worst := w.worst(byData, byStage)
		without := average(w.replay(choice{keep: all, except: func(stage, data int) bool { return worst[[2]int{data, stage}] }}, true))
		share := (now - without) / (now - idealWhole)
		result.WorstWorkers = &share
		last := func(op int) bool { return int(w.o.ops[op].stage) != w.o.stages-1 }
		part := (now - average(w.replay(choice{keep: last}, true))) / (now - idealWhole)
		result.LastStage = &part
	}
	return nil
}

// one is a job of one lane: where all is ideal, all lanes are the same.
func (w *whatIf) one() *whatIf { return w.only(1, 0, 1) }

// two is a job of two lanes a step, a data-parallel rank and an ideal one: all
// other ranks are alike when they are ideal. A job of one rank keeps one lane.
func (w *whatIf) two(data int) *whatIf {
	return w.only(len(w.l.steps), data, min(w.l.data, 2))
}

// only keeps one lane of each step, width times.
func (w *whatIf) only(steps, data, width int) *whatIf {
	l := &lanes{steps: w.l.steps[:steps], data: width}
	for _, times := range w.l.time {
		kept := make([]float32, steps*width)
		for step := range steps {
			for i := range width {
				kept[step*width+i] = times[step*w.l.data+data]
			}
		}
		l.time = append(l.time, kept)
	}
	return &whatIf{o: w.o, l: l, g: w.g, ideal: w.ideal}
}

// kinds answers for each kind of operation; sending and receiving is one.
func (w *whatIf) kinds(result *Result, ideal float64) {
	label := func(kind string) string {
		switch kind {
		case forwardSend, forwardRecv:
			return "forward-pp-comm"
		case backwardSend, backwardRecv:
			return "backward-pp-comm"
		}
		return kind
	}
	var labels []string
	for _, op := range w.o.ops {
		if l := label(w.o.kinds[op.kind]); !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	for _, l := range labels {
		keep := func(op int) bool { return label(w.o.kinds[w.o.ops[op].kind]) == l }
		result.Kinds = append(result.Kinds, KindSlowdown{l, average(w.replay(choice{keep: keep}, false)) / ideal})
	}
	sortKinds(result.Kinds)
}

// worst is the worst 3 % of the workers; a worker is as bad as the better of
// its data-parallel rank and its stage.
func (w *whatIf) worst(byData, byStage []float64) map[[2]int]bool {
	var workers [][2]int
	for worker := range w.o.workers {
		workers = append(workers, worker)
	}
	score := func(v [2]int) float64 { return min(byData[v[0]], byStage[v[1]]) }
	slices.SortFunc(workers, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(w.o.workers[a], w.o.workers[b]))
	})
	worst := map[[2]int]bool{}
	for _, v := range workers[:worstCount(len(workers))] {
		worst[v] = true
	}
	return worst
}

// worstCount is how many workers the worst 3 % are: one at least.
func worstCount(workers int) int { return (workers*3 + 99) / 100 }

// worstOf names them.
func worstOf(workers int) string {
	switch n := worstCount(workers); {
	case n == 1:
		return fmt.Sprintf("of the %d workers", workers)
	case workers < 100:
		return fmt.Sprintf("%d of the %d workers", n, workers)
	}
	return "3 % of the workers"
}

// jobWords is the answer in a paragraph.
func (r *Result) jobWords() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d workers took %s a step; with every operation at its ideal time it would be %s: slowdown %.3f.",
		r.World, figure.Seconds(r.Seconds/float64(len(r.Steps)), 4), figure.Seconds(*r.Ideal/float64(len(r.Steps)), 4), *r.Slowdown)
	if *r.Slowdown < 1.03 {
		b.WriteString(" No straggler to speak of.")
		return b.String()
	}
	rank := slices.MaxFunc(r.Ranks, func(a, b RankResult) int { return cmp.Compare(*a.Slowdown, *b.Slowdown) })
	stage := slices.MaxFunc(r.Stages, func(a, b StageSlowdown) int { return cmp.Compare(a.Slowdown, b.Slowdown) })
	switch {
	case r.WorstWorkers != nil && *r.WorstWorkers > 0.5 && r.World > 1:
		fmt.Fprintf(&b, " A few workers are slow, the worst on stage %d of data-parallel rank %d: without the worst %s, %.0f %% of the loss would be gone. Fix: replace that machine, or find out what runs beside the job on it.",
			stage.Stage, rank.Rank, worstOf(r.World), 100*min(*r.WorstWorkers, 1))
	case r.LastStage != nil && *r.LastStage > 0.5 && len(r.Stages) > 1 && stage.Stage == r.Stages[len(r.Stages)-1].Stage:
		fmt.Fprintf(&b, " The last pipeline stage has more to do than the others: were it as fast, %.0f %% of the loss would be gone. Fix: cut the model so that the last stage, with the loss, holds fewer layers.", 100*min(*r.LastStage, 1))
	case r.World == 1:
		fmt.Fprintf(&b, " The only worker takes longer for some operations than for others of the same kind; the most is lost in %s (%.3f).", r.Kinds[0].Kind, r.Kinds[0].Slowdown)
	default:
		fmt.Fprintf(&b, " No single worker explains it; the most is lost in %s (%.3f).", r.Kinds[0].Kind, r.Kinds[0].Slowdown)
	}
	return b.String()
}
