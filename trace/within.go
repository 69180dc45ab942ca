package trace

import (
	"slices"
	"strings"
)

// NoRegion is the location of computation of which it is not told in which region it was:
// what comes after a rank's first million events.
const NoRegion = "<no region>"

// WithinCall names the location of a pause within a call of MPI, of which a trace does
// not tell for whom it waits: the call after its place.
func WithinCall(file string, line int, call string) string {
	return placeName(file, int32(line)) + "/" + call
}

// CallWithin is the call that such a location names, "" where it names none.
func CallWithin(location string) string {
	i := strings.LastIndexByte(location, '/')
	call := location[i+1:]
	if i < 0 || !strings.HasPrefix(call, "MPI_") && !strings.HasPrefix(call, "MPIX_") || strings.ContainsAny(call, ".:") {
		return ""
	}
	return call
}

// InCalls are the seconds that all ranks paused within such calls, by call.
func (t *Trace) InCalls() map[string]float64 {
	out := map[string]float64{}
	for i := range t.Programs {
		names := t.Programs[i].refers().files
		if !slices.ContainsFunc(names, func(name string) bool { return CallWithin(name) != "" }) {
			continue // without a look at its actions
		}
		at := ""
		t.Programs[i].walk(func(a *Action, _ int64, sum float64) {
			switch {
			case a.Kind == Location:
				if at = ""; a.Tag == 0 {
					at = CallWithin(a.File)
				}
			case a.Kind == Sleep && at != "":
				out[at] += sum
			}
		})
	}
	return out
}
