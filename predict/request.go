package predict

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"auspex/platform"
	"auspex/signature"
	"auspex/simulate"
)

// Method is how computation is measured.
type Method string

// The methods of the paper's section 3, and the choice between them loop by
// loop.
const (
	Simple    Method = "simple"    // the whole program runs
	Threshold Method = "threshold" // loops that may be cut short are; at least one must be
	Auto      Method = "auto"      // those that may be are, if any
)

// AFew as the number of runs: up to three of a program of seconds that is measured
// whole, up to seven where those disagree, one of others. Runs of a machine shared
// with others differ by a tenth, which a short program does not even out by itself.
const AFew = -1

// Platform is a machine to predict for.
type Platform struct {
	Name string
	*platform.Platform
	Slots   []platform.Slot // where the ranks go; nil for every host in turn
	Options simulate.Options
}

// Request is what to predict.
type Request struct {
	Source     string // the tree to copy
	Build, Run string // commands; {opt} and {np} stand for level and processes
	Levels     []string
	Counts     []int
	// Extrapolate are further counts, which are not run.
	Extrapolate []int
	Platforms   []Platform
	Method      Method
	// Runs is how many traces are taken of each level and count; AFew for as many
	// as a few seconds allow.
	Runs int
	// Alone measures the computation of one rank of each kind alone on this machine, with
	// what MPI gave it in a run of all ranks.
	Alone bool
	// ReferenceSpeed is the flop/s that the measuring machine counts as; 0 for
	// what the first platform says.
	ReferenceSpeed float64
	// CountsAs takes the place of what the first platform says: of the first platform
	// of a study whose points are predicted one by one. 0 for none.
	CountsAs float64
	// There is the signature of the platforms' nodes; with Here, that of the machine
	// that the traces are taken on, it takes the place of the reference speed. Where
	// There is nil and there is no reference speed, a platform's own signature counts if
	// it was measured from another machine; where Here is nil, this machine is measured
	// between the traces. Mix is what the program's work is made of, empty where that
	// is not known; PerNode is how many ranks share a node there, 0 for as many as
	// are on one host.
	Here, There *signature.Signature
	Mix         signature.Mix
	PerNode     int
	// Epsilon is how closely the time of an iteration must have settled before
	// its loop is cut short (eq. 4).
	Epsilon float64
	// Settle is how long a loop is watched at least for that: the two windows
	// that are compared take it together. 0 for one second.
	Settle time.Duration
	// Whole is how long Auto lets a program run to see whether it comes to its end:
	// then all of it is measured, which is surer than cutting loops short. 0 for not
	// at all.
	Whole time.Duration
	// Strict cuts only loops with independent iterations, as the paper does.
	Strict bool
	// AssumeFixed vouches that the parameters of communication stay what they
	// are in the first iteration where the loop computes them.
	AssumeFixed bool
	// AsWritten reads C and C++ sources as they are written, not as their
	// preprocessor gives them.
	AsWritten bool
	// Vouched are loops, as FILE:LINE, that are cut short on a person's word
	// whatever the analysis says of them.
	Vouched []string
	// Paper takes the threshold rule as the paper has it: the mean is that of all
	// iterations from the first on (equations 1 to 4).
	Paper bool
	// Validate runs the program as it is, so many times.
	Validate int
	// ValidateCommand takes the place of Run there; {platform} stands for the
	// platform's name.
	ValidateCommand string
	// Cores are the processors every run is kept to, as taskset lists them.
	Cores string
	// Input is a file that every run reads as its standard input.
	Input string
	// Cache keeps compiled parts of the measurement runtime.
	Cache string
	// Compiler is the command that stands in for compilers where loops are cut
	// short: it is given the file of Plan and the real compiler's command.
	Compiler []string
	// Timeout ends a run that takes longer; 0 for never.
	Timeout time.Duration
	// Say hears what is being done.
	Say func(string)
	// Watch, if set, is shown a replay of every prediction.
	Watch Watcher
}

// Misuse is an error in what was asked for, not in what became of it.
type Misuse struct{ error }

func (m Misuse) Unwrap() error { return m.error }

func misusef(format string, args ...any) error { return Misuse{fmt.Errorf(format, args...)} }

// check looks at all that can be wrong before anything is built.
func (r *Request) check() error {
	switch {
	case strings.TrimSpace(r.Build) == "":
		return misusef("no build command: --build 'mpicc -O{opt} is.c -o is'")
	case strings.TrimSpace(r.Run) == "":
		return misusef("no run command: --run 'mpirun -n {np} ./is'")
	case len(r.Platforms) == 0:
		return misusef("no platform to predict for: --platform FILE")
	case len(r.Counts) == 0 || len(r.Levels) == 0:
		return misusef("no process counts or no compiler levels to predict for")
	case r.Alone && r.Method == Threshold:
		return misusef("--alone runs all of the program, and --method threshold cuts it short: give one of them")
	}
	if len(r.Levels) > 1 && !strings.Contains(r.Build, "{opt}") {
		return misusef("the build command is the same for all of %d levels: write {opt} where the level goes, as in -O{opt}", len(r.Levels))
	}
	if (len(r.Counts) > 1 || r.Counts[0] > 1) && !strings.Contains(r.Run, "{np}") {
		return misusef("the run command is the same for all process counts: write {np} where the count goes, as in mpirun -n {np}")
	}
	if len(r.Extrapolate) > 0 {
		base := slices.Compact(slices.Sorted(slices.Values(r.Counts)))
		if len(base) < 2 || base[len(base)-2] < least {
			return misusef("--extrapolate needs two different numbers of processes from %d on to go by: --np 4,8", least)
		}
		if most := base[len(base)-1]; slices.Min(r.Extrapolate) <= most {
			return misusef("--extrapolate is for more processes than the %d of --np", most)
		}
	}
	for _, np := range slices.Concat(r.Counts, r.Extrapolate) {
		for i := range r.Platforms {
			if err := r.Platforms[i].check(np); err != nil {
				return err
			}
		}
	}
	return nil
}

// check tells whether np ranks fit on the platform and reach each other.
func (p *Platform) check(np int) error {
	if np < 1 {
		return fmt.Errorf("%d processes: at least 1 is needed", np)
	}
	room := 0
	for _, h := range p.Hosts {
		room += max(h.Cores, 1)
	}
	if len(p.Slots) == 0 && np > room {
		return fmt.Errorf("%s has room for %d processes (%d hosts), not for %d; a hostfile may put several on one core", p.Name, room, len(p.Hosts), np)
	}
	hosts := slices.Compact(slices.Sorted(slices.Values(p.place(np))))
	var links []int32
	for _, a := range hosts {
		for _, b := range hosts {
			if a == b {
				continue
			}
			route, err := p.Route(a, b, links)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			links = route.Links
		}
	}
	return nil
}

// place gives every rank its host.
func (p *Platform) place(np int) []int {
	slots := p.Slots
	if len(slots) == 0 {
		slots = platform.AllHosts(p.Platform)
	}
	return platform.Map(slots, np)
}

// fill puts level and count into a command.
func fill(template, opt string, np int) string {
	return strings.NewReplacer("{opt}", opt, "{np}", strconv.Itoa(np)).Replace(template)
}

// atLevel tells a compiler level behind other words; nothing where none was asked for.
func atLevel(opt string) string {
	if opt == "" {
		return ""
	}
	return " at -O" + opt
}

// processes counts them in words.
func processes(np int) string {
	if np == 1 {
		return "1 process"
	}
	return strconv.Itoa(np) + " processes"
}

// program is the name of what is run, or of where its source is.
func (r *Request) program() string {
	for _, word := range strings.Fields(r.Run) {
		if name, ok := strings.CutPrefix(word, "./"); ok {
			return filepath.Base(name)
		}
	}
	return filepath.Base(r.Source)
}

// words parts a command as a shell would; one that needs a shell is given one.
func words(command string) []string {
	const operators = "|&;<>()$`\\\n*?[]~"
	var list []string
	var word strings.Builder
	inside, quote := false, rune(0)
	for _, c := range command {
		switch {
		case quote == 0 && strings.ContainsRune(operators, c), quote == '"' && (c == '$' || c == '`' || c == '\\'):
			return []string{"sh", "-c", command}
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inside = c, true
		case c == ' ' || c == '\t':
			if inside {
				list = append(list, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	if inside {
		list = append(list, word.String())
	}
	if quote != 0 || len(list) == 0 || strings.Contains(list[0], "=") {
		return []string{"sh", "-c", command}
	}
	return list
}
