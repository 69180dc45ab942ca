package input

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"auspex/internal/mistake"
)

// notAProfile says of files that are known, and are no profile, what to do with them.
func notAProfile(name string, head []byte) string {
	switch {
	case mistake.Packed(head) != "":
		return mistake.Packed(head)
	case bytes.HasPrefix(head, []byte("\x7fELF")):
		return "a program, no profile: auspex run -- " + started(name) + " measures it"
	case bytes.HasPrefix(head, []byte("PERFILE2")):
		return "data of perf record: print them with perf script -F +pid, and give what it prints"
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "text in UTF-16: convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)"
	case strings.HasSuffix(name, ".def") || strings.HasSuffix(name, ".evt"):
		return "part of an OTF2 archive, it seems: give its .otf2 file"
	case isReplayTrace(head):
		return "a trace without times, no profile: auspex simulate, efficiency, waits and whatif take it"
	}
	return ""
}

// started is how a shell starts a program that is given by its path.
func started(path string) string {
	if strings.Contains(path, "/") {
		return path
	}
	return "./" + path
}

// isReplayTrace tells a trace of SimGrid's or dPerf's form by its first line: a rank
// and an action.
func isReplayTrace(head []byte) bool {
	for line := range bytes.Lines(head) {
		words := strings.Fields(string(line))
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		_, err := strconv.Atoi(strings.TrimPrefix(words[0], "p"))
		return err == nil && len(words) > 1 && slices.Contains([]string{"init", "compute", "send", "isend", "recv", "irecv", "barrier", "bcast", "allreduce"}, strings.ToLower(words[1]))
	}
	return false
}
