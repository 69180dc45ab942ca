package training_test

import (
	"strings"
	"testing"

	"auspex/training"
)

// by is milliseconds that differ from step to step.
func by(ms ...int) func(int) int { return func(step int) int { return ms[step%len(ms)] } }

// TestChanceIsNoCause: a rank that loads longest over all steps is a straggler
// where the others load alike, and none where they stray as far.
func TestChanceIsNoCause(t *testing.T) {
	certain := find(t, job(4, made{load: always(10)}, made{load: always(26)}, made{load: always(10)}, made{load: always(11)}))
	if len(certain.Stragglers) != 1 || certain.Stragglers[0].Rank != 1 {
		t.Errorf("%s", certain.Words)
	}
	chance := find(t, job(4, made{load: by(4, 40, 8, 30)}, made{load: by(44, 9, 31, 20)}, made{load: by(20, 25, 33, 6)}, made{load: by(10, 8, 39, 22)}))
	if len(chance.Stragglers) != 0 {
		t.Errorf("%s", chance.Words)
	}
}

// TestSmallButCertain: two of four ranks, each a little late in every step.
func TestSmallButCertain(t *testing.T) {
	r := find(t, job(6, made{load: always(30)}, made{load: always(36)}, made{load: always(36)}, made{load: always(30)}))
	if len(r.Stragglers) != 2 || r.Stragglers[0].Rank+r.Stragglers[1].Rank != 3 {
		t.Errorf("%s", r.Words)
	}
}

// TestLateStartIsNoAlarm: late in the first of five steps only, or in another.
func TestLateStartIsNoAlarm(t *testing.T) {
	late := func(at int) *training.Result {
		odd := func(step int) int {
			if step == at {
				return 90
			}
			return 10
		}
		return find(t, job(5, made{load: always(10)}, made{load: odd}, made{load: always(10)}, made{load: always(10)}))
	}
	start := late(0)
	if len(start.Stragglers) != 0 || !strings.Contains(strings.Join(start.Notes, "\n"), "rank 1 is late in the first step only") {
		t.Errorf("%s %q", start.Words, start.Notes)
	}
	once := late(2)
	if len(once.Stragglers) != 1 || once.Stragglers[0].Pattern != training.NowAndThen {
		t.Errorf("%s", once.Words)
	}
}

// TestLateStartOfALongJob: the steps after the first differ by chance, this way
// and that. Late by as much in one of them too, it is no start.
func TestLateStartOfALongJob(t *testing.T) {
	late := func(again int) *training.Result {
		odd := func(step int) int {
			switch {
			case step == 0:
				return 300
			case step == 7:
				return again
			}
			return 10 + 4*(step%2*2-1)
		}
		return find(t, job(12, made{load: always(10)}, made{load: odd}, made{load: always(10)}, made{load: always(10)}))
	}
	if start := late(10); len(start.Stragglers) != 0 || !strings.Contains(strings.Join(start.Notes, "\n"), "rank 1 is late in the first step only") {
		t.Errorf("%s %q", start.Words, start.Notes)
	}
	if twice := late(250); len(twice.Stragglers) != 1 {
		t.Errorf("%s", twice.Words)
	}
}
