package site

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// asked reads a count from the environment, 0 where there is none.
func asked(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return n
}

// TestMain lets this program be one that pushes and is killed.
func TestMain(m *testing.M) {
	if place := os.Getenv("AUSPEX_SITE_PUSHER"); place != "" {
		os.Exit(pusher(place, os.Getenv("AUSPEX_SITE_FIRST")))
	}
	os.Exit(m.Run())
}

// pusher pushes experiments one after the other until it is killed.
func pusher(place, first string) int {
	s, err := Open(place)
	if err != nil {
		return 1
	}
	for i := range 1000 {
		if _, err := s.Push(context.Background(), []Item{{run(fmt.Sprintf("killed-%s-%d", first, i), day, float64(i+1)), nil}}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// TestKilledPushes kills processes that push, $AUSPEX_SITE_KILLS times or ten,
// each while the server has one of its statements in hand or a moment after: all
// that is visible afterwards is whole.
func TestKilledPushes(t *testing.T) {
	tries := asked("AUSPEX_SITE_KILLS")
	if tries == 0 {
		tries = 10
	}
	s, server := started(t)
	if _, err := s.Push(t.Context(), nil); err != nil { // the tables
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	at := map[string]int{}
	for i := range tries {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "AUSPEX_SITE_PUSHER="+s.text, "AUSPEX_SITE_FIRST="+strconv.Itoa(i))
		left, after, pause := 1+random.IntN(14), random.IntN(2) == 0, time.Duration(random.IntN(2000))*time.Microsecond
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		server.Fail(func(statement string, done bool) bool {
			if done == after {
				left--
			}
			if left == 0 {
				words := strings.Fields(statement)
				at[strings.Join(words[:min(len(words), 3)], " ")]++
				time.AfterFunc(pause, func() { cmd.Process.Kill() })
				left = -1
			}
			return false
		})
		if err := cmd.Wait(); err == nil {
			t.Fatal("it was not killed")
		}
	}
	server.Fail(nil)
	torn, err := server.SQL(`SELECT name, r, u, v, k FROM (
		SELECT e.name AS name, (SELECT count() FROM auspex.regions) AS all, countIf(1) AS n, any(x.r) AS r, any(y.u) AS u, any(z.v) AS v, any(w.k) AS k
		FROM (SELECT * FROM auspex.experiments FINAL) AS e
		LEFT JOIN (SELECT push, count() AS r FROM auspex.regions GROUP BY push) AS x ON x.push = e.push
		LEFT JOIN (SELECT push, count() AS u FROM auspex.units GROUP BY push) AS y ON y.push = e.push
		LEFT JOIN (SELECT push, count() AS v FROM auspex.values GROUP BY push) AS z ON z.push = e.push
		LEFT JOIN (SELECT push, count() AS k FROM auspex.totals GROUP BY push) AS w ON w.push = e.push
		GROUP BY e.name) WHERE r != 3 OR u != 4 OR v != 24 OR k != 5`)
	if err != nil {
		t.Fatal(err)
	}
	if torn != "" {
		t.Errorf("visible and not whole:\n%s", torn)
	}
	counts, err := server.SQL("SELECT (SELECT count() FROM auspex.experiments FINAL), (SELECT uniqExact(push) FROM auspex.units)")
	t.Logf("%d processes killed, by the statement then in hand %v; experiments visible and pushes begun: %s, %v", tries, at, strings.TrimSpace(counts), err)
}
