package training

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"auspex/internal/lazyregexp"
)

func sortKinds(kinds []KindSlowdown) {
	slices.SortFunc(kinds, func(a, b KindSlowdown) int {
		return cmp.Or(cmp.Compare(b.Slowdown, a.Slowdown), cmp.Compare(a.Kind, b.Kind))
	})
}

// worstWorkers lists the worst 3 % of the workers, at least one (arXiv
// 2505.05713, section 5.1); of equal ones, the lower number.
func worstWorkers(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order[:(len(scores)*3+99)/100]
}

// What ranges and operators are called that load data, save models, collect
// garbage or compile.
var (
	loads    = lazyregexp.New(`(?i)load|data|batch|fetch|input|preproc|augment|next.?sample|next\(iter|__next__|collate|tokeni[sz]`)
	saves    = lazyregexp.New(`(?i)save|saving|checkpoint|ckpt|dump|serial`)
	collects = lazyregexp.New(`(?i)\bgc\b|garbage|gc[._]collect`)
	// The optimizer's kernels, by their names and those of their operators.
	optimizes = lazyregexp.New(`(?i)_foreach_|_fused_(adam|sgd|adagrad)|multi_tensor|adam|\bsgd\b|lamb\b|optimizer`)
	// Operators that return when the device has delivered a value.
	waitsInside = lazyregexp.New(`aten::item\b|aten::_local_scalar_dense|aten::is_nonzero`)
	compiles    = lazyregexp.New(`(?i)compil(e|ing|ation)\b|\bjit\b|autotun|inductor`)
)

// fix says what may help.
func fix(s *Straggler) string {
	switch {
	case s.Cause == "more work":
		return "cut the data, or the model, evenly over the ranks"
	case s.Cause == "longer kernels" && s.Pattern == Drifting:
		return "see whether the device is throttled for heat or power, or the data grow from step to step"
	case s.Cause == "longer kernels":
		return "compare its data with that of the other ranks; if it is as much, look at the device: clocks, temperature, power limit"
	case s.Cause == "slow link":
		return "look at the network of the rank's node: every group that it is in is slow"
	case s.Cause == "slow group":
		return "look at what connects these ranks: the links within their node, or a setting of NCCL that differs there"
	case s.Side == Network:
		return "look at the network of the rank's node"
	case s.Cause == "slow kernels" && s.Pattern == Drifting:
		return "look at the device: it gets slower, as one does that is throttled for heat or power"
	case s.Cause == "slow kernels":
		return "look at the device: clocks, temperature, power limit, and who else uses it"
	case s.Cause == "more kernels":
		return "find the kernels that only this rank runs (auspex device), and run them on all or on none"
	case s.Cause == "copies between host and device":
		return "copy less, or from pinned memory beside the computation"
	case s.Cause == "waiting for the device":
		return "call less that waits for the device (.item(), printing values, copies to the host)"
	case s.Cause == "slow processor":
		return "look for other processes on the rank's cores, and at how its threads are pinned"
	case s.Cause == "saving":
		return "save less often, beside the computation, or a part on every rank"
	case s.Cause == "collecting garbage":
		return "collect garbage on all ranks at the same step, or freeze what is long-lived (gc.freeze)"
	case s.Cause == "compiling":
		return "compile before the steps that count, or keep shapes the same so that nothing is compiled again"
	case s.Cause == "loading data":
		return "more loader workers, or batches prepared ahead"
	case s.Cause == "code that no range and no operator covers":
		return "look at what Python does there (collecting garbage, saving, logging), or whether the process gets a core; profile with with_stack=True"
	}
	return "do there on this rank what the others do, or spread it over all ranks"
}

// words is the answer in a paragraph.
func (r *Result) words() string {
	var b strings.Builder
	switch {
	case r.Present == 1 && r.World > 1:
		fmt.Fprintf(&b, "Only one of %d ranks is here: there is nobody to compare it with.", r.World)
	case r.Present == 1 && r.worldKnown:
		b.WriteString("The job has one rank: there is nobody to wait for.")
	case r.Present == 1:
		b.WriteString("Only one rank is here: there is nobody to compare it with.")
	case r.ClockResidual == nil:
		b.WriteString("No collective of two ranks was found: who waits for whom cannot be determined.")
	case len(r.Stragglers) == 0 && r.stage != nil:
		b.WriteString(r.stage.words(max(r.steps, len(r.Steps))))
	case len(r.Stragglers) == 0:
		fmt.Fprintf(&b, "No straggler: none of %d ranks stands out over %s.", r.Present, count(max(r.steps, len(r.Steps)), "step"))
	}
	if len(r.Stragglers) == 0 && r.round > 0 {
		fmt.Fprintf(&b, " But the others wait for one rank or another, %.0f %% of the time%s.", 100*r.round, r.mostlyFor())
	}
	groups := r.Groups()
	for i, g := range groups {
		if i > 0 {
			b.WriteByte(' ')
		}
		words(&b, g, max(r.steps, len(r.Steps)), len(groups) > 1)
	}
	if len(groups) > 1 && r.all > 0 {
		fmt.Fprintf(&b, " The job runs at %.0f %% of the speed it would have without all of these.", 100*(1-r.all))
	}
	if len(groups) > 0 && r.stage != nil {
		b.WriteString(" " + r.stage.words(max(r.steps, len(r.Steps))))
	}
	for i := range min(len(r.Holds), 2) {
		b.WriteString(" " + r.Holds[i].words())
	}
	if r.Present > 1 && r.Present < r.World {
		fmt.Fprintf(&b, " Only %d of %d ranks are here.", r.Present, r.World)
	}
	return b.String()
}

// words tells of the stragglers that are late for one reason; others says that some
// are late for another.
func words(b *strings.Builder, group []Straggler, steps int, others bool) {
	s := &group[0] // the latest
	one := len(group) == 1
	it, its, has, spends, copies, device, in := "it", "its", "has", "spends", "copies", "device is", "it is in"
	if one {
		fmt.Fprintf(b, "Rank %d makes the others wait", s.Rank)
	} else {
		var ranks []int
		for _, s := range group {
			ranks = append(ranks, s.Rank)
		}
		list := rankList(ranks)
		fmt.Fprintf(b, "R%s make the others wait", list[1:])
		it, its, has, spends, copies, device, in = "they", "their", "have", "spend up to", "copy", "devices are", "they are in"
	}
	if steps > 1 { // one step has no pattern
		fmt.Fprintf(b, " (%s)", s.Pattern)
	}
	over := count(steps, "step")
	switch {
	case s.Cause == "slow link":
		fmt.Fprintf(b, ": %s fastest transfer takes %s, the others' %s, in every group %s", its, milli(s.Seconds), milli(s.Others), in)
	case s.Cause == "slow group":
		fmt.Fprintf(b, ": a transfer among them takes %s, in the other groups %s", milli(s.Seconds), milli(s.Others))
	case s.Cause == "slow processor":
		fmt.Fprintf(b, ": most of what %s processor does takes longer, most of all in %s: %s over %s, the others %s", its, region(s), milli(s.Seconds), over, milli(s.Others))
	default:
		fmt.Fprintf(b, ": %s %s %s over %s in %s, the others %s", it, spends, milli(mostSeconds(group)), over, region(s), milli(s.Others))
	}
	if names := operators(s); names != "" && s.Cause != "slow link" && s.Cause != "slow group" {
		fmt.Fprintf(b, " (%s)", names)
	}
	upper := func(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
	switch s.Cause {
	case "more work":
		fmt.Fprintf(b, ". %s %s more work: %s %s more data to %s device, and %s kernels take longer", upper(it), has, it, copies, its, its)
	case "longer kernels":
		fmt.Fprintf(b, ". %s kernels take longer, but those of the optimizer do not: %s %s more data, or %s %s slow in what computes most", upper(its), it, has, its, device)
	case "slow kernels":
		fmt.Fprintf(b, ". %s %s slow: the same kernels take longer", upper(its), device)
	case "more kernels":
		fmt.Fprintf(b, ". %s %s more kernels to run than the others", upper(it), has)
	}
	switch speed := 100 * (1 - s.Share); {
	case others && speed >= 99.5:
		b.WriteString(". Without that alone nothing would be gained, as others are as late")
	case speed >= 1:
		fmt.Fprintf(b, ". The job runs at %.0f %% of the speed it would have without that", speed)
		if others {
			b.WriteString(" alone")
		}
	case speed > 0:
		b.WriteString(". The job runs at less than 1 % of the speed it would have without that")
	}
	fmt.Fprintf(b, ". Fix: %s.", s.Fix)
}

func mostSeconds(group []Straggler) float64 {
	most := 0.0
	for _, s := range group {
		most = max(most, s.Seconds)
	}
	return most
}

func region(s *Straggler) string {
	what := s.Region
	if what == "" {
		what = "code outside any range"
	}
	switch s.Side {
	case Network:
		return what + " in collectives"
	}
	return what
}

// operators names the operators that take longer; where none runs, nothing.
func operators(s *Straggler) string {
	var names []string
	for _, o := range s.Operators {
		if o.Operator != "" {
			names = append(names, o.Operator)
		}
	}
	return strings.Join(names, ", ")
}

func milli(s float64) string {
	switch ms := s * 1e3; {
	case ms >= 10_000:
		return fmt.Sprintf("%.1f s", s)
	case ms >= 10:
		return fmt.Sprintf("%.0f ms", ms)
	case ms > 0 && ms < 0.95:
		return fmt.Sprintf("%.0f µs", ms*1e3)
	default:
		return fmt.Sprintf("%.1f ms", ms)
	}
}

func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
