package calibrate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Kind is what a sample is the time of.
type Kind string

const (
	PingPong  Kind = "pingpong"  // half of there and back
	Exchange  Kind = "exchange"  // send and receive at once, both ranks, one after the other
	Send      Kind = "send"      // inside MPI_Send, the receive posted
	Isend     Kind = "isend"     // inside MPI_Isend
	Recv      Kind = "recv"      // inside MPI_Recv of a message that has come
	Late      Kind = "late"      // inside MPI_Send, the receive posted later
	Cold      Kind = "cold"      // an exchange after computation
	Self      Kind = "self"      // of a rank to itself, after computation
	Work      Kind = "work"      // computation over as many bytes as Bytes says
	Cool      Kind = "cool"      // a small exchange after that
	Overlap   Kind = "overlap"   // what is left of an exchange after computation as long as it
	Skewed    Kind = "skewed"    // an exchange to which one rank came later, from then on
	Crowd     Kind = "crowd"     // an exchange of as many ranks at once as From says
	Alone     Kind = "alone"     // inside MPI_Recv of a message whose sender computes
	Threshold Kind = "threshold" // not a time: sends from this size on wait

	// Not a time either: bytes of small messages that arrive while their sender
	// computes; 0 for all.
	SendBuffer Kind = "sendbuffer"
	// Nor this: messages below that size come while their sender computes.
	Receives Kind = "receives"
)

// Sample is what was measured for one kind and size, in seconds.
type Sample struct {
	Kind          Kind
	From, To      int // ranks
	Bytes         int64
	Median, Least float64
	Times         int
}

// Measurement is the output of the ping-pong program.
type Measurement struct {
	Library string
	Hosts   map[int]string // names by rank
	Samples []Sample
	Kernels map[int]Rounds // of the processor's kernels, by rank
}

const (
	maxSamples = 1 << 20
	maxRank    = 1 << 20
	maxRounds  = 1 << 12
)

// Read takes the program's output. Lines that are not its own, such as
// mpirun's, are passed over; an output without its last line is refused.
func Read(r io.Reader) (*Measurement, error) {
	m := &Measurement{Hosts: map[int]string{}, Kernels: map[int]Rounds{}}
	lines := bufio.NewScanner(r)
	done := false
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		var err error
		switch {
		case words[0] == "library":
			m.Library = strings.Join(words[1:], " ")
		case words[0] == "host" && len(words) == 3:
			var rank int
			if rank, err = parseRank(words[1]); err == nil {
				m.Hosts[rank] = words[2]
			}
		case words[0] == "kernel" && len(words) == 4:
			err = m.kernel(words)
		case words[0] == "done" && len(words) == 1:
			done = true
		case len(words) == 7:
			err = m.sample(words)
		}
		if err != nil {
			return nil, fmt.Errorf("the ping-pong program's output, line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if !done {
		return nil, errors.New("the ping-pong program did not come to its end")
	}
	return m, nil
}

func (m *Measurement) sample(words []string) error {
	s := Sample{Kind: Kind(words[0])}
	switch s.Kind {
	case PingPong, Exchange, Send, Isend, Recv, Late, Cold, Self, Work, Cool, Overlap, Crowd, Alone, Skewed, Threshold, SendBuffer, Receives:
	default:
		return nil // somebody else's line
	}
	if len(m.Samples) >= maxSamples {
		return fmt.Errorf("more than %d samples", maxSamples)
	}
	var errs [6]error
	s.From, errs[0] = parseRank(words[1])
	s.To, errs[1] = parseRank(words[2])
	s.Bytes, errs[2] = strconv.ParseInt(words[3], 10, 64)
	s.Median, errs[3] = parseSeconds(words[4])
	s.Least, errs[4] = parseSeconds(words[5])
	s.Times, errs[5] = strconv.Atoi(words[6])
	if s.Bytes < 0 {
		errs[2] = fmt.Errorf("%d bytes", s.Bytes)
	}
	m.Samples = append(m.Samples, s)
	return errors.Join(errs[:]...)
}

func (m *Measurement) kernel(words []string) error {
	rank, err := parseRank(words[1])
	if err != nil {
		return err
	}
	seconds, err := parseSeconds(words[3])
	if err != nil || seconds == 0 {
		return errors.Join(err, fmt.Errorf("a kernel that took %s s", words[3]))
	}
	if m.Kernels[rank] == nil {
		m.Kernels[rank] = Rounds{}
	}
	rounds := m.Kernels[rank]
	if len(rounds[words[2]]) >= maxRounds {
		return fmt.Errorf("more than %d rounds of kernel %s", maxRounds, words[2])
	}
	rounds[words[2]] = append(rounds[words[2]], seconds)
	return nil
}

func parseRank(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxRank {
		return 0, fmt.Errorf("%q is not a rank", s)
	}
	return n, nil
}

func parseSeconds(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a time", s)
	}
	return v, nil
}

// point is a size and its seconds, and the time that an error is to be held
// against: the same, or that of a whole of which the seconds are a part.
type point struct{ size, seconds, whole float64 }

// curve gives the times of a kind by size for the pairs for which take is true: of
// each pair the mean of all times it was measured, since a program pays for slow
// moments, too; and of the pairs the median.
func (m *Measurement) curve(kind Kind, take func(from, to int) bool) []point {
	type pair struct{ from, to int }
	times := map[int64]map[pair][]float64{}
	for _, s := range m.Samples {
		if s.Kind == kind && take(s.From, s.To) && s.Median > 0 {
			if times[s.Bytes] == nil {
				times[s.Bytes] = map[pair][]float64{}
			}
			p := pair{s.From, s.To}
			times[s.Bytes][p] = append(times[s.Bytes][p], s.Median)
		}
	}
	points := make([]point, 0, len(times))
	for size, pairs := range times {
		var means []float64
		for _, t := range pairs {
			means = append(means, mean(t))
		}
		middle := median(means)
		points = append(points, point{float64(size), middle, middle})
	}
	sort.Slice(points, func(i, j int) bool { return points[i].size < points[j].size })
	return points
}

// steady is a curve without times that stand out, as where the machine was busy with
// something else for a moment: each is the median of five around it that are sent in
// the same way, from eager on or below. Times that only grow with the size stay as they
// are.
func (m *Measurement) steady(kind Kind, take func(from, to int) bool, eager int64) []point {
	points := m.curve(kind, take)
	split := len(below(points, float64(eager)))
	return append(medians(points[:split]), medians(points[split:])...)
}

func medians(points []point) []point {
	out := slices.Clone(points)
	set := func(i int, seconds ...float64) {
		out[i].seconds = median(seconds)
		out[i].whole = out[i].seconds
	}
	for i := range points {
		reach := min(2, i, len(points)-1-i)
		var near []float64
		for _, p := range points[i-reach : i+reach+1] {
			near = append(near, p.seconds)
		}
		set(i, near...)
	}
	if len(out) > 2 { // of the smallest: what the two after it lead to expect
		set(0, out[0].seconds, out[1].seconds, 2*out[1].seconds-out[2].seconds)
	}
	return out
}

func median(v []float64) float64 {
	sort.Float64s(v)
	n := len(v)
	if n == 0 {
		return 0
	}
	return (v[(n-1)/2] + v[n/2]) / 2
}
