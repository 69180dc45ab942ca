package site

import (
	"strings"
	"testing"
	"time"

	"auspex/internal/testclickhouse"
	"auspex/store"
)

// testCollect leaves a broken push, a young one and a whole one: only what the
// first left goes.
func testCollect(t *testing.T, s *Site, server *testclickhouse.Server) {
	rows := func() string {
		t.Helper()
		out, err := server.SQL("SELECT (SELECT count() FROM auspex.units), (SELECT count() FROM auspex.regions), (SELECT count() FROM auspex.values), (SELECT count() FROM auspex.totals), (SELECT count() FROM auspex.attachments)")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	collect := func(remove bool) *Left {
		t.Helper()
		left, err := s.Collect(t.Context(), remove)
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	breakOff := func(name string) {
		t.Helper()
		server.Fail(func(statement string, _ bool) bool { return strings.HasPrefix(statement, "INSERT INTO experiments") })
		defer server.Fail(nil)
		if _, err := s.Push(t.Context(), []Item{{run(name, day, 4), []store.Attachment{{Name: "a", Data: []byte("b")}}}}); err == nil {
			t.Fatal("it was not broken off")
		}
	}
	defer func() { s.now = time.Now }()
	now := time.Now().Add(100 * 24 * time.Hour)
	s.now = func() time.Time { return now }
	already := collect(false) // what the tests before left
	if already.Pushes == 0 || already.Gone {
		t.Errorf("of the pushes that were broken off before: %+v", already)
	}
	before := rows()
	breakOff("young")
	if left := collect(false); left.Pushes != already.Pushes || left.Rows != already.Rows || rows() == before {
		t.Errorf("a push that may be under way: %+v", left)
	}
	now = now.Add(collectAge + time.Minute)
	mustPush(t, s, Item{run("whole", day, 4), nil})
	whole := rows()
	if left := collect(false); left.Pushes != already.Pushes+1 || left.Rows != already.Rows+4+3+24+5+1 || rows() != whole {
		t.Errorf("counted: %+v", left)
	}
	if left := collect(true); left.Pushes != already.Pushes+1 || !left.Gone {
		t.Errorf("removed: %+v", left)
	}
	now = now.Add(100 * 24 * time.Hour)
	if left := collect(true); left.Pushes != 0 {
		t.Errorf("what is whole went: %+v", left)
	}
	for _, name := range []string{"whole", "one", "nightly-03"} {
		e, err := store.OpenRemote(s).Get(name)
		if err == nil {
			_, err = e.Load()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if h := mustPush(t, s, Item{run("young", day, 4), nil}); h[0].There {
		t.Errorf("what was collected is said to be there: %+v", h)
	}
}
