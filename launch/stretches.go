package launch

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"

	"auspex/trace"
)

// stretches reads the file in which the runtime tells how the computation before
// each event is shared among the nodes of the rank's tree: for each event a
// count, then node and ns of each.
type stretches struct {
	file  *os.File
	in    *bufio.Reader
	nodes []string // their paths, "" for communication
	list  []stretch
}

// stretch is computation in one region.
type stretch struct {
	region string
	ns     float64
}

// openStretches returns nil where the run wrote none.
func openStretches(path string, nodes []string) (*stretches, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(nodes) == 0 {
		if f != nil {
			f.Close()
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &stretches{file: f, in: bufio.NewReaderSize(f, 1<<16), nodes: nodes}, nil
}

// next returns the computation before the next event by region. The clock of
// the events is the exact one, so the parts are made to add up to what it says.
func (s *stretches) next(total float64) []stretch {
	s.list = s.list[:0]
	sum := 0.0
	count, err := s.in.ReadByte()
	for range count {
		var raw [8]byte
		if _, err = io.ReadFull(s.in, raw[:]); err != nil {
			break
		}
		node := binary.LittleEndian.Uint32(raw[:])
		ns := float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4:])))
		if int(node) >= len(s.nodes) || s.nodes[node] == "" || !(ns > 0) || math.IsInf(ns, 0) {
			continue
		}
		s.list = append(s.list, stretch{s.nodes[node], ns})
		sum += ns
	}
	if err != nil || sum <= 0 { // no more were kept
		if total >= 1 {
			return append(s.list[:0], stretch{trace.NoRegion, total})
		}
		return nil
	}
	for i := range s.list {
		s.list[i].ns *= total / sum
	}
	return s.list
}
