package ingest

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"auspex/ingest/input"
	"auspex/internal/lazyregexp"
	"auspex/model"
)

// togetherFor is how far apart the parts of one run may have begun: ranks are
// launched within seconds, and a queue starts the next run no sooner.
const togetherFor = 10 * time.Minute

// Separate tells why the parts are several runs and not one, "" where nothing
// speaks against one: other programs or commands, other sizes of the job,
// profiles that hold all ranks already, or begun far apart. Dates from began
// on are those of reading and say nothing.
func Separate(parts []*model.Experiment, began time.Time) string {
	owner := map[model.Unit]int{}
	for i, part := range parts {
		if what := otherRun(parts[0], part, began); what != "" {
			return fmt.Sprintf("%s and %s differ in %s", origin(parts, 0), origin(parts, i), what)
		}
	}
	for i, part := range parts {
		for _, unit := range part.Units {
			unit.Node = ""
			first, taken := owner[unit]
			owner[unit] = i
			if !taken {
				continue
			}
			if input.Processes(parts[first]) > 1 || input.Processes(part) > 1 {
				return fmt.Sprintf("%s and %s both hold process %s", origin(parts, first), origin(parts, i), unit)
			}
			if size, ok := jobSize(part); ok && size > float64(len(parts)) {
				return fmt.Sprintf("%s stands for all %g processes of a run", origin(parts, i), size)
			}
		}
	}
	return ""
}

// Folders groups parts that are several runs, a folder each and in it a file per
// rank: the same rank is in two folders and twice in none, and the metadata say
// that a run has as many ranks as its folder has room for. nil where this is not
// so.
func Folders(parts []*model.Experiment) [][]int {
	type place struct {
		folder string
		unit   model.Unit
	}
	var groups [][]int
	number, ranks, taken := map[string]int{}, map[model.Unit]bool{}, map[place]bool{}
	again := false
	for i, part := range parts {
		size, known := jobSize(part)
		if !known || len(part.Sources) == 0 || input.Processes(part) != 1 {
			return nil
		}
		folder := filepath.Dir(part.Sources[0])
		n, seen := number[folder]
		if !seen {
			n = len(groups)
			number[folder] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], i)
		if float64(len(groups[n])) > size {
			return nil
		}
		rank := model.Unit{Process: part.Units[0].Process}
		if taken[place{folder, rank}] {
			return nil
		}
		taken[place{folder, rank}] = true
		again = again || ranks[rank]
		ranks[rank] = true
	}
	if len(groups) < 2 || !again || len(groups) == len(parts) {
		return nil
	}
	return groups
}

func otherRun(a, b *model.Experiment, began time.Time) string {
	sizeA, okA := jobSize(a)
	sizeB, okB := jobSize(b)
	apart := a.Created.Sub(b.Created).Abs()
	dated := a.Created.Before(began) && b.Created.Before(began)
	switch {
	case digits.ReplaceAllString(a.Program, "") != digits.ReplaceAllString(b.Program, ""): // trainer:0, trainer:1
		return fmt.Sprintf("program (%s, %s)", a.Program, b.Program)
	case a.Command != b.Command:
		return fmt.Sprintf("command (%s, %s)", input.Clip(a.Command, 60), input.Clip(b.Command, 60))
	case okA && okB && sizeA != sizeB:
		return fmt.Sprintf("size of the job (%g, %g processes)", sizeA, sizeB)
	case dated && apart > togetherFor:
		return fmt.Sprintf("launch date (%s, %s)", a.Created.Format("2006-01-02 15:04"), b.Created.Format("2006-01-02 15:04"))
	}
	return ""
}

// jobSize is how many processes the whole run had, where its metadata says so.
// The factor ranks counts those that are here.
func jobSize(e *model.Experiment) (float64, bool) {
	for _, f := range e.Factors {
		switch strings.ToLower(f.Name) {
		case "jobsize", "mpi.world.size", "numprocs", "num_ranks", "world_size":
			if f.Numeric && f.Number >= 1 {
				return f.Number, true
			}
		}
	}
	return 0, false
}

var digits = lazyregexp.New("[0-9]+")

// buildFactor recognises metadata about how the program was built.
var buildFactor = lazyregexp.New(`(?i)compil|build|cxx|cflags|fflags|optimi[sz]ation|commit|git|^version$|program.?version`)

// otherBuild tells what makes two runs different builds, "" for the same.
func otherBuild(a, b *model.Experiment) string {
	if a.Program != b.Program {
		return fmt.Sprintf("program: %s, %s", a.Program, b.Program)
	}
	for _, f := range a.Factors {
		if other, ok := b.Factor(f.Name); ok && other != f && buildFactor.MatchString(f.Name) {
			return fmt.Sprintf("%s: %s, %s", f.Name, f.Word, other.Word)
		}
	}
	return ""
}
