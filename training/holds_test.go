package training_test

import (
	"slices"
	"strings"
	"testing"

	"auspex/training"
)

// TestAllLoadSlowly: what all ranks do while their devices wait is told, with the steps
// in which they do it, and nothing of a job whose devices are busy.
func TestAllLoadSlowly(t *testing.T) {
	const load, save = "while the hosts are loading data in load_batch", "while the hosts are saving in save_checkpoint"
	for _, c := range []struct {
		job   looped
		steps int
		says  []string
	}{
		{looped{compute: each(20), load: each(10)}, 6, []string{load, "Without that the job would take up to 32 % less time", "more loader workers"}},
		{looped{compute: each(20), load: each(1)}, 6, nil},
		{looped{compute: each(20), load: each(10), ahead: true}, 6, nil}, // hidden
		{looped{compute: each(20), save: func(_, step int) int64 { return 60 * int64(b2i(step%3 == 2)) }}, 9, []string{save + " (in every third step)"}},
		{looped{compute: each(20), save: func(_, step int) int64 { return 90 * int64(b2i(step == 1 || step == 4 || step == 5)) }}, 12, []string{save + " (in 3 of 12 steps)"}},
		{looped{compute: each(20), load: func(_, step int) int64 { return 1 + 80*int64(b2i(step < 2)) }}, 8, []string{load + " (in the first 2 steps)"}},
		{looped{compute: each(20), load: func(_, step int) int64 { return 1 + 80*int64(b2i(step < 1)) }}, 8, []string{load + " (in the first step)"}},
	} {
		words := find(t, c.job.ranks(4, c.steps)).Words
		for _, text := range []string{load, save, "(in "} {
			said(t, words, text, slices.ContainsFunc(c.says, func(s string) bool { return strings.Contains(s, text) }))
		}
		for _, text := range c.says {
			said(t, words, text, true)
		}
	}
}

// TestClocksNearTheMiddle: where some clocks differ, those that differ less are moved
// as well; where none does, none is.
func TestClocksNearTheMiddle(t *testing.T) {
	steps := func() [][]training.Step {
		list := make([][]training.Step, 4)
		for r := range list {
			list[r] = []training.Step{{Start: 0, End: 30 * millisecond}}
		}
		return list
	}
	met := func(ahead ...int64) [][]*training.Call {
		var list [][]*training.Call
		for at := int64(1); at < 4; at++ {
			var calls []*training.Call
			for _, a := range ahead {
				calls = append(calls, &training.Call{End: at*millisecond + a})
			}
			list = append(list, calls)
		}
		return list
	}
	shifts, residual := training.Clocks(steps(), met(0, -3_500_000, -3_520_000, -2_080_000))
	if residual != 0 || shifts[1]-shifts[0] != -3_500_000 || shifts[2]-shifts[0] != -3_520_000 || shifts[3]-shifts[0] != -2_080_000 {
		t.Errorf("%v, %d apart", shifts, residual)
	}
	if shifts, _ := training.Clocks(steps(), met(0, 1000, -2000, 0)); slices.Max(shifts) != 0 || slices.Min(shifts) != 0 {
		t.Errorf("%v", shifts)
	}
}
