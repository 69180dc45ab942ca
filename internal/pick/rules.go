package pick

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"auspex/instrument"
)

// WriteFilter writes a filter that measures what is ticked and nothing else.
// outside is the name of the directory that the files' names begin in: it is
// put before names that would otherwise also be the end of another file's.
func (m *Model) WriteFilter(w io.Writer, outside string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %d regions. Without the next line, regions that no rule is about are measured as usual.\nexclude *:*\n", len(m.ticked))
	names := map[string]bool{}
	for _, n := range m.nodes {
		if n.region == nil {
			names[n.file.File] = true
		}
	}
	endings := endingsOf(names)
	written := map[string]bool{}
	for _, n := range m.nodes {
		if n.region == nil || !m.ticked[n.key] || written[n.key] {
			continue
		}
		written[n.key] = true
		name := n.file.File
		if endings[name] {
			name = outside + "/" + name
		}
		function, line := n.region.Function()
		fmt.Fprintln(out, instrument.Exactly(name, function, line))
	}
	return out.Flush()
}

// endingsOf gives all that names end in after a slash.
func endingsOf(names map[string]bool) map[string]bool {
	endings := map[string]bool{}
	for name := range names {
		for {
			_, rest, ok := strings.Cut(name, "/")
			if !ok {
				break
			}
			endings[rest] = true
			name = rest
		}
	}
	return endings
}
