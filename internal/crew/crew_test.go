package crew

import (
	"strings"
	"sync/atomic"
	"testing"
)

func TestAPanicComesOutOfWait(t *testing.T) {
	var c Crew
	var done atomic.Int32
	for i := range 8 {
		c.Go(func() {
			if i == 3 {
				panic("the third fell")
			}
			done.Add(1)
		})
	}
	defer func() {
		fault, ok := recover().(*Fault)
		if !ok || fault.Error() != "the third fell" || !strings.Contains(string(fault.Stack), "crew_test.go") {
			t.Errorf("Wait gave %v", fault)
		}
		if done.Load() != 7 {
			t.Errorf("%d of 7 others finished", done.Load())
		}
	}()
	c.Wait()
	t.Error("Wait returned")
}

func TestWithoutAPanicWaitReturns(t *testing.T) {
	var c Crew
	n := 0
	c.Go(func() { n++ })
	c.Wait()
	if n != 1 {
		t.Error("the member did not run")
	}
}
