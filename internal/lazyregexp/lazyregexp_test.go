package lazyregexp

import (
	"slices"
	"sync"
	"testing"
)

// It is compiled once, whoever comes first, and then answers as regexp does.
func TestUsedAtOnce(t *testing.T) {
	r := New(`(\w+)=(\d+)`)
	if r.compiled != nil {
		t.Error("it is compiled before its first use")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := r.FindStringSubmatch("a b=12"); !slices.Equal(got, []string{"b=12", "b", "12"}) {
				t.Errorf("%q", got)
			}
		})
	}
	all.Wait()
	if first := r.compiled; !r.MatchString("x=1") || r.compiled != first {
		t.Error("it is compiled again")
	}
}

func TestWrongExpression(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression must not go unnoticed")
		}
	}()
	New(`(`).MatchString("")
}
