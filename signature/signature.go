// Package signature sets machines against each other that never meet (Snavely and
// others, "A framework for performance modeling and prediction", SC 2002): a
// machine's signature is what kernels of different kinds take on it, with more and
// more of its cores busy at once, so that caches and memory they share count. The
// time of computation on another machine is that here, times what the kinds of
// work it is made of take there and here.
package signature

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"auspex/internal/processor"
)

// Signature is what was measured of one machine.
type Signature struct {
	// Version is that of the kernels: times of different ones cannot be compared.
	Version int `json:"version"`
	// Machine names it for people, Processor is its model, "" where that is not known.
	Machine   string `json:"machine"`
	Processor string `json:"processor,omitempty"`
	Cores     int    `json:"cores"`
	// Kernels are times by kind of work: integer, floating, memory, access.
	Kernels map[string][]Time `json:"kernels"`
}

// Time is what a kernel takes, in seconds, with so many cores at it; Error is its
// standard error relative to it.
type Time struct {
	Busy    int     `json:"busy"`
	Seconds float64 `json:"seconds"`
	Error   float64 `json:"error"`
}

const (
	maxFile = 1 << 20
	version = 2 // the first had kernels that were one chain of operations each
)

// Read takes a signature from a file.
func Read(r io.Reader) (*Signature, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, errors.New("too long for a signature")
	}
	var s Signature
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("not a signature as `auspex calibrate --signature` writes it: %w", err)
	}
	if s.Version != version && s.Cores > 0 {
		return nil, fmt.Errorf("a signature of version %d, and this auspex compares those of version %d: measure both machines again with `auspex calibrate`", s.Version, version)
	}
	return &s, s.check()
}

func (s *Signature) check() error {
	if s.Cores < 1 || len(s.Kernels) == 0 {
		return errors.New("not a signature as `auspex calibrate --signature` writes it: no cores, or no kernels")
	}
	for name, list := range s.Kernels {
		last := 0
		for _, t := range list {
			if t.Busy <= last || !(t.Seconds > 0) || math.IsInf(t.Seconds, 0) || !(t.Error >= 0) || math.IsInf(t.Error, 0) {
				return fmt.Errorf("the kernel %s has an impossible time: %d cores busy, %g s, error %g", name, t.Busy, t.Seconds, t.Error)
			}
			last = t.Busy
		}
		if len(list) == 0 || list[0].Busy != 1 {
			return fmt.Errorf("the kernel %s has no time for one core", name)
		}
	}
	return nil
}

// Here tells whether the signature is of a machine like this one: as many processors
// of the same model.
func (s *Signature) Here() bool {
	return s.Processor != "" && s.Processor == processor.Name() && s.Cores == runtime.NumCPU()
}

// Write is the inverse of Read.
func (s *Signature) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(s)
}

// at is what a kernel takes with so many cores busy: between two that were
// measured by the power of their number that joins them, beyond the last as there.
func (s *Signature) at(kernel string, busy int) Time {
	list := s.Kernels[kernel]
	i, found := slices.BinarySearchFunc(list, busy, func(t Time, n int) int { return t.Busy - n })
	switch {
	case found:
		return list[i]
	case i == 0:
		return list[0]
	case i == len(list):
		return list[i-1]
	}
	a, b := list[i-1], list[i]
	share := math.Log(float64(busy)/float64(a.Busy)) / math.Log(float64(b.Busy)/float64(a.Busy))
	return Time{busy, a.Seconds * math.Pow(b.Seconds/a.Seconds, share), max(a.Error, b.Error)}
}

// Load is a machine with so many of its cores busy.
type Load struct {
	*Signature
	Busy int
}

// Mix is how much of the time here is work of each kind; kinds that are not named
// have no part. An empty one says that nothing is known.
type Mix map[string]float64

// Factor is how many times as long computation takes there as here, and the
// standard deviation of its logarithm. A known mix convolves the kinds; of an
// unknown one the kinds' geometric mean is taken, and how far they lie apart is
// what it may be off by.
func Factor(here, there Load, mix Mix) (factor, spread float64, err error) {
	var logs, errs []float64
	sum, parts := 0.0, 0.0
	for kernel := range here.Kernels {
		if len(there.Kernels[kernel]) == 0 {
			continue
		}
		a, b := here.at(kernel, here.Busy), there.at(kernel, there.Busy)
		logs, errs = append(logs, math.Log(b.Seconds/a.Seconds)), append(errs, math.Hypot(a.Error, b.Error))
		sum += mix[kernel] * b.Seconds / a.Seconds
		parts += mix[kernel]
	}
	if len(logs) == 0 {
		return 0, 0, errors.New("the two signatures have no kernel in common")
	}
	for kernel, part := range mix {
		if len(here.Kernels[kernel]) == 0 || len(there.Kernels[kernel]) == 0 || !(part >= 0) || math.IsInf(part, 0) {
			return 0, 0, fmt.Errorf("the mix names %s %g, which is no kernel of both signatures with a share from 0 on", kernel, part)
		}
	}
	if len(mix) > 0 && parts == 0 {
		return 0, 0, errors.New("the mix has no shares above 0")
	}
	n, mean, noise := float64(len(logs)), 0.0, 0.0
	for i := range logs {
		mean += logs[i] / n
		noise += errs[i] * errs[i] / n / n
	}
	if parts > 0 {
		return sum / parts, math.Sqrt(noise), nil
	}
	variance := 0.0
	for _, l := range logs {
		variance += (l - mean) * (l - mean) / max(n-1, 1)
	}
	return math.Exp(mean), math.Sqrt(variance + noise), nil
}
