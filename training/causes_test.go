package training_test

import (
	"fmt"
	"strings"
	"testing"

	"auspex/training"
)

// piece is something that a rank does in every step of a job over gloo.
type piece struct {
	region, op, call string // "" for none
	milliseconds     int
	copies           bool // the device copies meanwhile
	kernel           bool // the device computes meanwhile
}

// hosts makes a job whose processors meet: in each step a rank does its pieces
// one after the other, then waits in an all-reduce that another thread carries
// out. All end 2 ms after the last has arrived.
func hosts(steps, ranks int, pieces func(rank int) []piece) []*training.Rank {
	longest := int64(0)
	length := func(rank int) (sum int64) {
		for _, p := range pieces(rank) {
			sum += int64(p.milliseconds) * millisecond
		}
		return sum
	}
	for r := range ranks {
		longest = max(longest, length(r))
	}
	step := longest + 3*millisecond
	var list []*training.Rank
	for r := range ranks {
		t := &training.Trace{
			Rank: r, World: ranks,
			Tracks: []training.Track{{Process: "1", Thread: "1"}, {Process: "1", Thread: "2"}, {Process: "0", Thread: "7", Device: true, Stream: 7}},
		}
		id, names := uint32(0), map[string]uint32{}
		add := func(kind training.Kind, name string, track uint16, start, length int64) {
			if name == "" {
				return
			}
			if _, known := names[name]; !known {
				names[name] = uint32(len(t.Names))
				t.Names = append(t.Names, name)
			}
			t.Add(training.Interval{Kind: kind, Name: names[name], Track: track, Start: start, Length: length, Correlation: id})
		}
		for s := range int64(steps) {
			at := s * step
			add(training.Annotation, fmt.Sprintf("ProfilerStep#%d", s), 0, at, step)
			for _, p := range pieces(r) {
				id++
				ns := int64(p.milliseconds) * millisecond
				add(training.Annotation, p.region, 0, at, ns)
				add(training.Operator, p.op, 0, at, ns)
				if p.copies || p.kernel {
					add(training.Runtime, "cudaLaunchKernel", 0, at+100, 1000)
				}
				add(training.Runtime, p.call, 0, at+2000, ns-2000)
				if p.copies {
					add(training.Copy, "Memcpy DtoH (Device -> Pageable)", 2, at+2000, ns-4000)
				}
				if p.kernel {
					add(training.Kernel, "gemm", 2, at+2000, ns-4000)
				}
				at += ns
			}
			id = 0
			add(training.Annotation, "gloo:all_reduce", 1, at, (s+1)*step-millisecond-at)
		}
		list = append(list, training.Summarize(t))
	}
	return list
}

// TestCauses: each cause and its advice is given where the rank's own time shows
// it, and not where the same time is spent otherwise.
func TestCauses(t *testing.T) {
	usual := []piece{{region: "load_batch", op: "aten::randn", milliseconds: 5}, {region: "forward", op: "aten::mm", milliseconds: 10}, {region: "update", op: "aten::add_", milliseconds: 5}}
	with := func(extra piece) []piece { return append([]piece{extra}, usual...) }
	const longer = 30
	otherwise := piece{op: "aten::sort", milliseconds: longer} // host code
	for _, c := range []struct {
		side       training.Side
		cause, fix string
		late, not  []piece
	}{
		{training.Host, "loading data", "loader workers", with(piece{region: "fetch_samples", milliseconds: longer}), with(otherwise)},
		{training.Host, "saving", "save less often", with(piece{region: "save_model", milliseconds: longer}), with(otherwise)},
		{training.Host, "collecting garbage", "gc.freeze", with(piece{op: "gc.collect", milliseconds: longer}), with(otherwise)},
		{training.Host, "compiling", "keep shapes the same", with(piece{region: "torch.compile", milliseconds: longer}), with(otherwise)},
		{training.Host, "waiting for the device", ".item()", with(piece{op: "aten::item", call: "cudaStreamSynchronize", milliseconds: longer}), with(otherwise)},
		{training.Host, "code that no range and no operator covers", "with_stack=True", with(piece{milliseconds: longer}), with(otherwise)},
		{training.Host, "host code", "do there on this rank", with(otherwise), with(piece{milliseconds: longer})},
		{training.Accelerator, "copies between host and device", "copy less", with(piece{op: "aten::copy_", copies: true, milliseconds: longer}), with(piece{op: "aten::copy_", milliseconds: longer})},
		{training.Accelerator, "more kernels", "auspex device", with(piece{op: "aten::bmm", call: "cudaStreamSynchronize", kernel: true, milliseconds: longer}), with(otherwise)},
		{training.Host, "slow processor", "other processes", []piece{{region: "load_batch", op: "aten::randn", milliseconds: 13}, {region: "forward", op: "aten::mm", milliseconds: 26}, {region: "update", op: "aten::add_", milliseconds: 13}}, with(otherwise)},
	} {
		for _, said := range []bool{true, false} {
			late := c.late
			if !said {
				late = c.not
			}
			r := find(t, hosts(4, 4, func(rank int) []piece {
				if rank == 2 {
					return late
				}
				return usual
			}))
			if len(r.Stragglers) != 1 || r.Stragglers[0].Rank != 2 {
				t.Errorf("%s: %s", c.cause, r.Words)
				continue
			}
			s := r.Stragglers[0]
			if (s.Cause == c.cause && s.Side == c.side) != said || strings.Contains(r.Words, c.fix) != said {
				t.Errorf("%s, to be said: %v: %s/%s: %s", c.cause, said, s.Side, s.Cause, r.Words)
			}
		}
	}
	if r := find(t, hosts(4, 4, func(int) []piece { return with(otherwise) })); len(r.Stragglers) != 0 || strings.Contains(r.Words, "Fix") {
		t.Errorf("where all are alike: %s", r.Words)
	}
}

// TestHowSlow: what a straggler costs is told in per cent, and as less than one
// where that is what is left.
func TestHowSlow(t *testing.T) {
	for longer, want := range map[int]string{20: "at 51 %", 20_000: "less than 1 %"} {
		r := find(t, hosts(3, 3, func(rank int) []piece {
			list := []piece{{op: "aten::mm", milliseconds: 18}}
			if rank == 0 {
				list = append(list, piece{op: "aten::sort", milliseconds: longer})
			}
			return list
		}))
		if !strings.Contains(r.Words, want) {
			t.Errorf("%d ms longer: %s", longer, r.Words)
		}
	}
}
