package cli

import (
	"cmp"
	"os"
	"os/exec"
	"slices"
	"time"

	"auspex/launch"
	"auspex/store"
	"auspex/trace"
	"auspex/whatif/kept"
)

// withExperiment is what --trace says where it names no file.
const withExperiment = "kept with the experiment"

// traceFile takes a file name that stands after --trace, as in `--trace FILE --
// COMMAND`, off the command.
func (f *runFlags) traceFile(command []string) []string {
	if f.trace != withExperiment || len(command) < 2 {
		return command
	}
	if command[1] == "--" {
		f.trace = command[0]
		return command[2:]
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		f.trace = command[0]
		return command[1:]
	}
	return command
}

// keptTraces are the traces of repeated runs.
type keptTraces struct {
	list []keptRun
}

type keptRun struct {
	wall  time.Duration
	data  []byte
	stops trace.Stops
}

// add reads the trace of a run, if it wrote one.
func (k *keptTraces) add(file string, r *launch.Result) {
	if data, err := os.ReadFile(file); err == nil && r != nil {
		k.list = append(k.list, keptRun{r.Wall, data, r.Stops})
	}
}

// attachment is the trace of the run in the middle: neither the luckiest nor the
// unluckiest.
func (k *keptTraces) attachment() []store.Attachment {
	if len(k.list) == 0 {
		return nil
	}
	slices.SortStableFunc(k.list, func(a, b keptRun) int { return cmp.Compare(a.wall, b.wall) })
	middle := k.list[len(k.list)/2]
	out := []store.Attachment{{Name: kept.TraceName, Data: middle.data}}
	if middle.stops != nil {
		out = append(out, store.Attachment{Name: kept.StopsName, Data: middle.stops.Encode()})
	}
	return out
}
