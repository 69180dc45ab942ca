package model

import "strings"

// Kind says what sort of code a region is.
type Kind string

// The kinds of region.
const (
	Function Kind = "function"
	Loop     Kind = "loop"
	Block    Kind = "block"
	User     Kind = "user" // annotated by hand
	MPI      Kind = "mpi"
	Comm     Kind = "comm"    // communication other than MPI: NCCL, SHMEM …
	Barrier  Kind = "barrier" // threads waiting for each other
	IO       Kind = "io"
	Kernel   Kind = "kernel" // on an accelerator
	Idle     Kind = "idle"   // nothing to do
)

// Blocked names the time in which a thread was blocked or asleep, where nothing tells
// what called for that. It is no computation.
const Blocked = "<blocked>"

// Mutex names the time in which a thread waited for one, as the measurement runtime
// calls it.
const Mutex = "mutex"

// ThreadBarrier names the time in which a thread waited for others at a barrier of the C
// library's (pthread_barrier_wait), likewise.
const ThreadBarrier = "thread barrier"

// ParallelRegion begins the names of OpenMP's parallel regions, as they are measured.
const ParallelRegion = "OpenMP parallel@"

// Communicates tells whether time in such a region is communication or
// waiting rather than useful work.
func (k Kind) Communicates() bool {
	return k == MPI || k == Comm || k == Barrier || k == Idle
}

// NoParent marks a root of the region tree.
const NoParent = -1

// Region is one node of the region tree.
type Region struct {
	Name   string
	Kind   Kind
	File   string // empty where unknown
	Line   int    // 0 where unknown
	Parent int    // index into Experiment.Regions, or NoParent
}

// OfCaller tells whether a region is better told as its caller's: code without a name,
// and what a library keeps for itself (`__sin_fma`).
func (r Region) OfCaller() bool {
	return r.File == "" && r.Name != Blocked && (strings.HasPrefix(r.Name, "<") || strings.HasPrefix(r.Name, "_"))
}

// PathSeparator parts the names of a region path in text.
const PathSeparator = '/'

var escaped = strings.NewReplacer(`\`, `\\`, `/`, `\/`)

// EscapeName protects separators inside one name of a path.
func EscapeName(name string) string {
	if !strings.ContainsAny(name, `/\`) {
		return name
	}
	return escaped.Replace(name)
}

// JoinPath writes names, outermost first, as one path.
func JoinPath(names ...string) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = EscapeName(n)
	}
	return strings.Join(parts, string(PathSeparator))
}

// SplitPath is the inverse of JoinPath. A trailing lone backslash stands for
// itself.
func SplitPath(path string) []string {
	if !strings.ContainsRune(path, '\\') {
		return strings.Split(path, string(PathSeparator))
	}
	var names []string
	var name strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path):
			i++
			name.WriteByte(path[i])
		case c == PathSeparator:
			names = append(names, name.String())
			name.Reset()
		default:
			name.WriteByte(c)
		}
	}
	return append(names, name.String())
}

// Paths returns every region's path, outermost name first.
func Paths(regions []Region) []string {
	paths := make([]string, len(regions))
	for i, r := range regions {
		if r.Parent == NoParent {
			paths[i] = EscapeName(r.Name)
		} else {
			paths[i] = paths[r.Parent] + string(PathSeparator) + EscapeName(r.Name)
		}
	}
	return paths
}

// Communication marks the regions whose exclusive time is communication:
// those whose kind says so and everything nested in them.
func Communication(regions []Region) []bool {
	marks := make([]bool, len(regions))
	for i, r := range regions {
		marks[i] = r.Kind.Communicates() || (r.Parent != NoParent && marks[r.Parent])
	}
	return marks
}

// IsFlat tells whether no region is nested in another.
func IsFlat(regions []Region) bool {
	for _, r := range regions {
		if r.Parent != NoParent {
			return false
		}
	}
	return true
}

// Children lists the regions directly below each region; the list of roots is
// returned apart.
func Children(regions []Region) (children [][]int, roots []int) {
	children = make([][]int, len(regions))
	for i, r := range regions {
		if r.Parent == NoParent {
			roots = append(roots, i)
		} else {
			children[r.Parent] = append(children[r.Parent], i)
		}
	}
	return children, roots
}
