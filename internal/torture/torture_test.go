package torture

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// number reads a number from the environment, which scripts/torture sets.
func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func TestTorture(t *testing.T) {
	dir := os.Getenv("AUSPEX_TORTURE_DIR")
	if dir == "" {
		dir = t.TempDir()
	}
	report, err := Run(Options{
		Seed: uint64(number(t, "AUSPEX_TORTURE_SEED", 1)), First: number(t, "AUSPEX_TORTURE_FIRST", 0), Count: number(t, "AUSPEX_TORTURE", 150),
		Dir: dir, Seeds: "seeds", Log: os.Stderr, Kinds: strings.Fields(os.Getenv("AUSPEX_TORTURE_KINDS")),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range report.Failures {
		t.Error(failure)
	}
	t.Logf("\n%s", report)
}

// TestSeedsAreSound: what is damaged is accepted before.
func TestSeedsAreSound(t *testing.T) {
	kinds, err := loadSeeds("seeds")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir: t.TempDir(), report: &Report{Inputs: map[string]int{}, Refused: map[string]int{}, Accepted: map[string]int{}}}
	b.store = b.dir + "/store"
	if err := b.prepare("seeds"); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds[:len(kinds)-3] {
		for _, s := range k.seeds {
			if b.try(0, k, s); b.report.Refused[k.name] > 0 || len(b.report.Failures) > 0 {
				t.Fatalf("%s %s is refused or fails: %s", k.name, s.name, b.report.Failures)
			}
		}
	}
}

// TestDamageIsTheSameEverywhere: an input is told by its number.
func TestDamageIsTheSameEverywhere(t *testing.T) {
	whole := seed{"x", []file{{"a", []byte("one 1 two 2 three 3")}, {"b", []byte("four 4")}}}
	changed := 0
	for i := range uint64(200) {
		a := whole.damaged(rand.New(rand.NewPCG(1, i)), []seed{whole})
		b := whole.damaged(rand.New(rand.NewPCG(1, i)), []seed{whole})
		for f := range a.files {
			if !bytes.Equal(a.files[f].content, b.files[f].content) {
				t.Fatalf("input %d differs", i)
			}
			if !bytes.Equal(a.files[f].content, whole.files[f].content) {
				changed++
			}
		}
	}
	if changed < 200 || string(whole.files[0].content) != "one 1 two 2 three 3" {
		t.Errorf("%d files of 400 changed; the seed is %q", changed, whole.files[0].content)
	}
}
