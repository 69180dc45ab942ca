package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// longNumber is a number that nobody reads, and noNumber one that is none.
var (
	longNumber = regexp.MustCompile(`[0-9]{60,}`)
	noNumber   = regexp.MustCompile(`(NaN|[+-]Inf) ?([µm]?s|%|times)\b|unsupported value`)
)

// kind is what inputs are read as.
type kind struct {
	name  string
	seeds []seed
	check func(b *bench, k *kind, path string)
}

// seed is an input: a file, or a folder of several.
type seed struct {
	name  string
	files []file
}

type file struct {
	name    string
	content []byte
}

// loadSeeds reads the sound inputs. Of a file of queries every line is one.
func loadSeeds(dir string) ([]*kind, error) {
	kinds := []*kind{
		{name: "profile", check: checkProfile},
		{name: "trace", check: checkTrace},
		{name: "platform", check: checkPlatform},
		{name: "query", check: checkQuery},
		{name: "vocabulary", check: checkVocabulary},
		{name: "rules", check: checkRules},
		{name: "contract", check: checkContract},
		{name: "measured", check: checkMeasured},
	}
	for _, k := range kinds {
		entries, err := os.ReadDir(filepath.Join(dir, k.name))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			s, err := loadSeed(filepath.Join(dir, k.name, e.Name()), e)
			if err != nil {
				return nil, err
			}
			k.seeds = append(k.seeds, s...)
		}
	}
	// There are more formats of profiles than kinds of all else.
	profiles := kinds[0]
	return append(kinds, profiles, profiles, profiles), nil
}

func loadSeed(path string, entry os.DirEntry) ([]seed, error) {
	s := seed{name: entry.Name()}
	names := []string{""}
	if entry.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, file{name, content})
	}
	if filepath.Ext(s.name) != ".txt" || !strings.Contains(filepath.ToSlash(path), "/query/") {
		return []seed{s}, nil
	}
	var lines []seed
	for line := range strings.Lines(string(s.files[0].content)) {
		lines = append(lines, seed{s.name, []file{{"", []byte(strings.TrimSpace(line))}}})
	}
	return lines, nil
}

// write puts the input below a folder.
func (s seed) write(dir string) (path string, err error) {
	path = filepath.Join(dir, s.name)
	for _, f := range s.files {
		to := filepath.Join(path, f.name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, f.content, 0o644); err != nil {
			return "", err
		}
	}
	return path, nil
}

func checkProfile(b *bench, k *kind, path string) {
	if !b.first(k, "import", path, "--name", "x", "--replace", "--join") {
		return
	}
	b.must(k, "show", "x")
	b.may(k, "show", "x", "--regions") // needs a time
	table := b.must(k, "export", "x", "--to", "csv")
	again := filepath.Join(b.dir, "again.csv")
	if err := os.WriteFile(again, []byte(table), 0o644); err != nil {
		b.fail(k, "%v", err)
		return
	}
	b.must(k, "import", again, "--name", "y", "--replace")
	b.may(k, "diagnose", "x")
	if b.input%8 == 0 { // starting the engine takes longer than all the rest
		b.may(k, "query", "x", "wtime is high")
	}
}

func checkTrace(b *bench, k *kind, path string) {
	if !b.first(k, "trace", "stat", path) {
		return
	}
	folded := filepath.Join(b.dir, "folded.trace")
	b.must(k, "trace", "convert", path, folded)
	b.must(k, "trace", "stat", folded)
	b.may(k, "simulate", "--platform", filepath.Join(b.dir, "platform.toml"), path)
	b.may(k, "waits", path)
	b.may(k, "whatif", path)
	b.may(k, "efficiency", path)
	b.may(k, "efficiency", path, filepath.Join(b.dir, "trace.txt"), "--extrapolate", "8,5000,99999999", "--json")
	b.change(k, path)
}

// asked are changes to a run, sensible ones and others.
var asked = [][]string{
	{"--faster", "all=1e6"}, {"--faster", "all=0.000001"}, {"--faster", "all=1e300"}, {"--faster", "all=NaN"}, {"--faster", "nowhere=2"},
	{"--remove", "all"}, {"--remove", "all", "--network", "ideal"}, {"--balance", "all", "--noise", "none"}, {"--remove", "all", "--balance", "all"},
	{"--like-median", "0"}, {"--like-median", "1", "--like-median", "1"}, {"--like-median", "99999"}, {"--cores", "enough"},
	{"--network", "latency=0"}, {"--network", "latency=1000000"}, {"--network", "bandwidth=0.000001"}, {"--network", "bandwidth=1e300"}, {"--network", "bandwidth=-1"},
	{"--eager", "0"}, {"--eager", "9223372036854775807"}, {"--hosts", "speed=1e6"}, {"--hosts", "speed=0"},
	{"--collective", "allreduce=ring"}, {"--collective", "bcast=linear"}, {"--ranks-per-node", "0"}, {"--ranks-per-node", "2"}, {"--ranks-per-node", "99999"},
}

// change asks what one of them would bring, here and on a platform.
func (b *bench) change(k *kind, path string) {
	change := asked[b.input%len(asked)]
	b.may(k, append([]string{"whatif", path}, change...)...)
	b.may(k, append([]string{"whatif", path, "--json", "--platform", filepath.Join(b.dir, "platform.toml")}, change...)...)
}

// checkMeasured reads a trace with times.
func checkMeasured(b *bench, k *kind, path string) {
	if !b.first(k, "waits", path) {
		return
	}
	b.may(k, "efficiency", path) // a trace may hold no time
	b.may(k, "whatif", path)     // what is not whole cannot be replayed
	b.may(k, "whatif", path, "--network", "ideal", "--balance", "all")
	b.may(k, "waits", path, "--json")
	b.change(k, path)
	b.may(k, "trace", "convert", path, filepath.Join(b.dir, "again.json"))
}

func checkPlatform(b *bench, k *kind, path string) {
	if !b.first(k, "platform", "check", path) {
		return
	}
	b.may(k, "simulate", "--platform", path, filepath.Join(b.dir, "trace.txt"))
}

func checkQuery(b *bench, k *kind, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		b.fail(k, "%v", err)
		return
	}
	if strings.HasPrefix(string(text), "-") {
		text = append([]byte(" "), text...) // would read as a flag
	}
	if b.first(k, "query", "base", string(text)) {
		b.must(k, "query", "base", string(text), "--json")
	}
}

func checkVocabulary(b *bench, k *kind, path string) {
	if !b.first(k, "terms", "--vocabulary", path) {
		return
	}
	b.must(k, "terms", "--vocabulary", path, "--json")
	b.may(k, "classify", "base", "--vocabulary", path)
	b.may(k, "query", "base", "wtime is high", "--vocabulary", path)
}

func checkRules(b *bench, k *kind, path string) { b.first(k, "rules", "base", "--rules", path) }

// checkContract: a contract that is broken or cannot be judged has a status
// of its own, and says so on standard output.
func checkContract(b *bench, k *kind, path string) {
	args := []string{"check", "base", "--contract", path}
	status, out, message := b.auspex(args...)
	b.plain(k, args, out+message)
	if out != "" && status >= 0 && status <= 2 {
		b.report.Accepted[k.name]++
		return
	}
	b.report.Refused[k.name]++
	if status != 1 && status != 2 || !strings.HasPrefix(message, "auspex: ") {
		b.fail(k, "%q: status %d, message %q", args, status, message)
	}
}

// String sums a report up.
func (r *Report) String() string {
	var s strings.Builder
	total := 0
	for _, name := range []string{"profile", "trace", "platform", "query", "vocabulary", "rules", "contract", "measured"} {
		total += r.Inputs[name]
		fmt.Fprintf(&s, "%-10s %7d inputs, %7d refused, %7d accepted\n", name, r.Inputs[name], r.Refused[name], r.Accepted[name])
	}
	fmt.Fprintf(&s, "%-10s %7d inputs, %7d failures\n", "all", total, len(r.Failures))
	return s.String()
}
