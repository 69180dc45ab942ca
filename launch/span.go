package launch

import (
	"path/filepath"
	"strings"

	"auspex/probe"
)

// Span is how many seconds a program took of itself: the longest any of its
// ranks was there, starting and ending MPI left out; of a program without MPI
// the CPU time, as dPerf's paper takes it (section 4.1). dir is where the
// processes of the run wrote; ranks is how many did.
func Span(dir string) (longest float64, ranks int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.probe"))
	if err != nil {
		return 0, 0, err
	}
	for _, file := range files {
		p, err := probe.ReadFile(file)
		if err != nil {
			return 0, 0, err
		}
		for _, t := range p.Threads {
			if t.ID != 0 {
				continue
			}
			took := 0.0
			for _, n := range t.Nodes {
				name := p.Regions[n.Region].Name
				switch {
				case p.MPI == "":
					took += n.CPU
				case !strings.HasPrefix(name, "MPI_Init") && name != "MPI_Finalize":
					took += n.Wall
				}
			}
			longest = max(longest, took)
		}
	}
	return longest, len(files), nil
}
