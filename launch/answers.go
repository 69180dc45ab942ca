package launch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"auspex/trace"
)

// Answers is a directory in which ranks of a run record what MPI gives them, so that
// each of them can be run again alone, with the same answers. Both want a Runner that
// Answers.
type Answers string

// Record has ranks of a run record, each not more than so many bytes.
func (a Answers) Record(ranks []int, limit int64) []string {
	var list []string
	for _, rank := range ranks {
		list = append(list, strconv.Itoa(rank))
	}
	return []string{"AUSPEX_ANSWERS_DIR=" + string(a), "AUSPEX_RECORD=" + strings.Join(list, ","), fmt.Sprintf("AUSPEX_RECORD_LIMIT=%d", limit)}
}

// Alone has one rank of a run be answered from its record; the others sleep.
func (a Answers) Alone(rank int) []string {
	return []string{"AUSPEX_ANSWERS_DIR=" + string(a), fmt.Sprintf("AUSPEX_ANSWER=%d", rank)}
}

// Refused is why a rank cannot be run alone, as far as it is known, or was not to its
// end; nil where it can or was.
func (a Answers) Refused(rank int) error {
	text, err := os.ReadFile(a.file(rank, "refused"))
	if err == nil {
		return errors.New(string(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(a.file(rank, "record")); err != nil {
		return ErrUnrecorded
	}
	return nil
}

// ErrUnrecorded is of calls that do not go by way of C.
var ErrUnrecorded = errors.New("it calls MPI in a way that cannot be recorded (as MPICH's mpi_f08)")

// Discard removes the record of a rank.
func (a Answers) Discard(rank int) error { return os.Remove(a.file(rank, "record")) }

func (a Answers) file(rank int, kind string) string {
	return filepath.Join(string(a), fmt.Sprintf("%d.%s", rank, kind))
}

// CollectRank makes a trace of one rank that ran alone, of the events that it wrote into
// dir. apart takes its MPI_Sendrecv apart, as is done where those of all ranks do not meet.
func CollectRank(ctx context.Context, dir string, rank int, apart bool) (*trace.Trace, error) {
	program, _, err := readProgram(ctx, filepath.Join(dir, strconv.Itoa(rank)+".events"), rank, readPlaces(dir), apart)
	if err != nil {
		return nil, err
	}
	return &trace.Trace{Nanoseconds: true, Programs: []trace.Program{program}}, nil
}
