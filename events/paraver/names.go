package paraver

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"auspex/events"
	"auspex/symbols"
	"auspex/trace"
)

// Types of events that Extrae writes.
const (
	typePointToPoint = 50000001
	typeCollective   = 50000002
	typeOther        = 50000003
	typeOneSided     = 50000004
	typeIO           = 50000005
	typeSendSize     = 50100001
	typeRoot         = 50100003
	typeComm         = 50100004
	typeInstructions = 42000050
	typeCycles       = 42000059
	typeBarrier      = 60000005 // of OpenMP's threads
	typeJoin         = 60000016 // of OpenMP's threads: the wait for those that are not done
	typeOutlined     = 60000018 // functions that OpenMP made of parallel regions
	typeUser         = 60000019 // user functions
	typeCaller       = 70000001 // who called MPI, at level 1 and further up
	callerLevels     = 8
)

// labels is what a .pcf file says the numbers mean: type → value → text.
type labels map[int64]map[int64]string

// maxLabels bounds what a file may say.
const maxLabels = 1 << 20

// readLabels reads the EVENT_TYPE blocks of a .pcf file: lines `gradient type
// name`, then VALUES with lines `number text`. The long form of a name that was
// abbreviated follows in brackets.
func readLabels(r io.Reader) (labels, error) {
	out := labels{}
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<16), 1<<20)
	var types []int64
	inTypes, inValues, n := false, false, 0
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		switch {
		case line == "":
			continue
		case line == "EVENT_TYPE":
			types, inTypes, inValues = nil, true, false
			continue
		case line == "VALUES":
			inTypes, inValues = false, inTypes
			continue
		}
		number, rest := word(line)
		first, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			inTypes, inValues = false, false
			continue
		}
		if n++; n > maxLabels {
			break
		}
		switch {
		case inTypes:
			number, _ := word(rest)
			if t, err := strconv.ParseInt(number, 10, 64); err == nil {
				types = append(types, t)
			}
		case inValues:
			if i := strings.LastIndex(rest, " ["); i >= 0 && strings.HasSuffix(rest, "]") {
				rest = rest[i+2 : len(rest)-1]
			}
			for _, t := range types {
				if out[t] == nil {
					out[t] = map[int64]string{}
				}
				if t >= typeCaller && t < typeCaller+callerLevels || t == typeUser || t == typeOutlined {
					rest = sourceName(rest)
				}
				out[t][first] = rest
			}
		}
	}
	return out, sc.Err()
}

// sourceName is a function as the source has it: Extrae takes those of Fortran as the
// linker has them. Behind an @ a linker's symbol has a version, and what Write wrote a
// line (loop@28), a file and a line (OpenMP parallel@solver.c:17) or who called.
func sourceName(text string) string {
	_, behind, _ := strings.Cut(text, "@")
	if strings.HasPrefix(text, Leading) || behind != "" && behind[0] >= '0' && behind[0] <= '9' || strings.Contains(behind, ":") {
		return text
	}
	return symbols.Name(text)
}

// word cuts off the first word: blanks or tabs separate them.
func word(line string) (first, rest string) {
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}

// extraeCalls are Extrae's numbers of MPI calls (its MPI_EventEncoding.h), for
// traces without a .pcf.
var extraeCalls = map[int64]string{
	1: "MPI_Send", 2: "MPI_Recv", 3: "MPI_Isend", 4: "MPI_Irecv", 5: "MPI_Wait", 6: "MPI_Waitall", 7: "MPI_Bcast", 8: "MPI_Barrier",
	9: "MPI_Reduce", 10: "MPI_Allreduce", 11: "MPI_Alltoall", 12: "MPI_Alltoallv", 13: "MPI_Gather", 14: "MPI_Gatherv", 15: "MPI_Scatter",
	16: "MPI_Scatterv", 17: "MPI_Allgather", 18: "MPI_Allgatherv", 19: "MPI_Comm_rank", 20: "MPI_Comm_size", 21: "MPI_Comm_create",
	22: "MPI_Comm_dup", 23: "MPI_Comm_split", 25: "MPI_Comm_free", 30: "MPI_Scan", 31: "MPI_Init", 32: "MPI_Finalize", 33: "MPI_Bsend",
	34: "MPI_Ssend", 35: "MPI_Rsend", 36: "MPI_Ibsend", 37: "MPI_Issend", 38: "MPI_Irsend", 39: "MPI_Test", 41: "MPI_Sendrecv",
	42: "MPI_Sendrecv_replace", 43: "MPI_Cart_create", 49: "MPI_Cart_sub", 59: "MPI_Waitany", 60: "MPI_Waitsome", 61: "MPI_Probe",
	62: "MPI_Iprobe", 80: "MPI_Reduce_scatter", 123: "MPI_Start", 124: "MPI_Startall", 125: "MPI_Testall", 126: "MPI_Testany", 128: "MPI_Testsome",
}

// callName names a call.
func (l labels) callName(kind, value int64) string {
	switch kind {
	case typeBarrier:
		return "OpenMP barrier"
	case typeJoin:
		return "OpenMP join"
	}
	if name := l[kind][value]; name != "" {
		return name
	}
	if name := extraeCalls[value]; name != "" {
		return name
	}
	return "MPI call " + strconv.FormatInt(value, 10)
}

// callKind says what a call does by its type and name.
func callKind(kind int64, name string) trace.Kind {
	if k, ok := events.CallKind(name); ok {
		return k
	}
	if kind == typeCollective && makesCommunicator(name) { // Write says so, Extrae does not
		return trace.Barrier
	}
	return events.Other
}

// makesCommunicator tells calls that all ranks of a communicator make a new one in.
func makesCommunicator(name string) bool {
	for _, prefix := range []string{"MPI_Comm_", "MPI_Cart_", "MPI_Graph_", "MPI_Dist_graph_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Within a path a slash parts names; one within a name has a backslash.
var (
	nameEscapes = strings.NewReplacer(`\`, `\\`, `/`, `\/`)
	nameParts   = strings.NewReplacer(`\\`, `\`, `\/`, `/`, `/`, "\x00")
)

// splitNames are the names of a path, outermost first.
func splitNames(path string) []string { return strings.Split(nameParts.Replace(path), "\x00") }

// name is the text of a value, nothing where it stands for no one.
func (l labels) name(kind, value int64) string {
	switch text := l[kind][value]; text {
	case "End", "Unresolved", "_NOT_Found":
		return ""
	default:
		return nameEscapes.Replace(text)
	}
}

// lead tells that computation is named by the call after it, as Write writes what was
// read so.
func (l labels) lead() bool {
	for _, name := range l[typeUser] {
		if strings.HasPrefix(name, Leading) {
			return true
		}
	}
	return false
}
