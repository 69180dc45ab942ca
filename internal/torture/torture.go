// Package torture gives auspex damaged input, whole commands at a time, and
// sees that nothing breaks:
//
//  1. A seed, which is a sound input of some kind (a profile of each format, a
//     trace, a platform, a query, a vocabulary, rules, a contract, a measured trace), is damaged.
//  2. The command that reads that kind is run on it, inside this process.
//  3. It must refuse the input with one clear message and a status, or accept
//     it, and then everything else must be able to show it: what is put into
//     the store is shown, exported and imported again.
//  4. None may panic, need more than [MaxCPU] or more than [MaxMemory].
//
// Input number i of a seed number is the same on every machine, so that what
// was found can be run again.
package torture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"auspex/internal/cli"
)

// Bounds on one input.
const (
	MaxCPU    = 20 * time.Second
	MaxMemory = 2 << 30
)

// Options say how many inputs, and which.
type Options struct {
	Seed  uint64
	First int // number of the first input
	Count int
	Dir   string // for the store and the inputs
	// Seeds is the folder of sound inputs, a folder for each kind.
	Seeds string
	// Kinds, where set, are the only kinds of input.
	Kinds []string
	// Log, where set, is told now and then how far it is.
	Log io.Writer
}

// Report counts what became of the inputs of each kind.
type Report struct {
	Inputs, Refused, Accepted map[string]int
	// Failures names the inputs that broke a promise.
	Failures []string
}

// maxFailures ends a run in which everything fails.
const maxFailures = 20

// Run tortures auspex.
func Run(o Options) (*Report, error) {
	kinds, err := loadSeeds(o.Seeds)
	if err != nil {
		return nil, err
	}
	if len(o.Kinds) > 0 {
		kinds = slices.DeleteFunc(kinds, func(k *kind) bool { return !slices.Contains(o.Kinds, k.name) })
		if len(kinds) == 0 {
			return nil, fmt.Errorf("torture: no kind of input is called %s", strings.Join(o.Kinds, " or "))
		}
	}
	debug.SetMemoryLimit(MaxMemory / 2) // rubbish is collected before it counts
	b := &bench{dir: o.Dir, store: filepath.Join(o.Dir, "store"), report: &Report{Inputs: map[string]int{}, Refused: map[string]int{}, Accepted: map[string]int{}}}
	if err := b.prepare(o.Seeds); err != nil {
		return nil, err
	}
	watch := startWatch(&b.at)
	defer watch.stop()
	for i := o.First; i < o.First+o.Count && len(b.report.Failures) < maxFailures; i++ {
		random := rand.New(rand.NewPCG(o.Seed, uint64(i)))
		kind := kinds[i%len(kinds)]
		b.at.Store(int64(i))
		watch.begin()
		b.try(i, kind, kind.seeds[random.IntN(len(kind.seeds))].damaged(random, kind.seeds))
		if n := i - o.First + 1; o.Log != nil && n%1000 == 0 {
			fmt.Fprintf(o.Log, "%d inputs, %d failures\n", n, len(b.report.Failures))
		}
	}
	return b.report, nil
}

// bench is where inputs are tried.
type bench struct {
	dir, store string
	at         atomic.Int64
	input      int
	report     *Report
}

// prepare stores the experiment that questions are asked about.
func (b *bench) prepare(seeds string) error {
	for _, name := range []string{"base", "other"} {
		if status, _, message := b.auspex("import", filepath.Join(seeds, "profile", "table.csv"), "--name", name, "--replace"); status != 0 {
			return errors.New(message)
		}
	}
	for to, from := range map[string]string{"platform.toml": "platform/small.toml", "trace.txt": "trace/ring.txt"} {
		content, err := os.ReadFile(filepath.Join(seeds, from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(b.dir, to), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// auspex runs a command.
func (b *bench) auspex(args ...string) (status int, out, message string) {
	var stdout, stderr bytes.Buffer
	status = cli.Main(append(args, "--store", b.store), strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// try writes an input and runs the kind's commands on it.
func (b *bench) try(number int, k *kind, in seed) {
	b.input = number
	b.report.Inputs[k.name]++
	dir := filepath.Join(b.dir, "input")
	defer os.RemoveAll(dir)
	path, err := in.write(dir)
	if err != nil {
		b.fail(k, "cannot be written: %v", err)
		return
	}
	defer func() {
		if value := recover(); value != nil {
			b.fail(k, "panic: %v\n%s", value, debug.Stack())
		}
	}()
	k.check(b, k, path)
}

func (b *bench) fail(k *kind, format string, args ...any) {
	b.report.Failures = append(b.report.Failures, fmt.Sprintf("input %d (%s): ", b.input, k.name)+fmt.Sprintf(format, args...))
}

// first runs the command that reads the input, and tells whether it was
// accepted. A refusal needs words.
func (b *bench) first(k *kind, args ...string) bool {
	status, out, message := b.auspex(args...)
	b.plain(k, args, out+message)
	if status == 0 {
		b.report.Accepted[k.name]++
		return true
	}
	b.report.Refused[k.name]++
	if status != 1 && status != 2 || !strings.HasPrefix(message, "auspex: ") && !strings.HasPrefix(message, "note: ") {
		b.fail(k, "%q: status %d, message %q", args, status, message)
	}
	return false
}

// must runs a command that has to go well on what was accepted.
func (b *bench) must(k *kind, args ...string) string {
	status, out, message := b.auspex(args...)
	b.plain(k, args, out+message)
	if status != 0 {
		b.fail(k, "was accepted, but %q: status %d, %s", args, status, message)
	}
	return out
}

// may runs a command that is allowed to refuse, with words.
func (b *bench) may(k *kind, args ...string) {
	status, out, message := b.auspex(args...)
	b.plain(k, args, out+message)
	if status < 0 || status > 2 || status != 0 && out+message == "" {
		b.fail(k, "%q: status %d, message %q", args, status, message)
	}
}

// plain sees that nothing of the input reaches a terminal as an order, and no
// number comes in hundreds of digits.
func (b *bench) plain(k *kind, args []string, text string) {
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\x07\x7f") {
		b.fail(k, "%q prints control characters or no UTF-8: %.300q", args, text)
	}
	if slices.Contains([]string{"show", "waits", "whatif", "efficiency"}, args[0]) && longNumber.MatchString(text) {
		b.fail(k, "%q prints %s", args, longNumber.FindString(text))
	}
	if k.name == "trace" || k.name == "measured" {
		if no := noNumber.FindString(text); no != "" {
			b.fail(k, "%q prints %s: %.600s", args, no, text)
		}
	}
}
