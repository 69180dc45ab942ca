package pop_test

import (
	"strings"
	"testing"

	"auspex/pop"
)

// TestWords: a factor below 0.8 is named; where none is but their product is,
// that is said with the lowest of them; and "no factor" only where all is well.
func TestWords(t *testing.T) {
	is := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		name string
		f    pop.Factors
		want string
	}{
		{"all well", pop.Factors{Parallel: is(0.957), LoadBalance: is(0.983), Serialization: is(0.983), Transfer: is(0.991)},
			"Parallel efficiency is 0.957. No factor is below 0.8."},
		{"one is low", pop.Factors{Parallel: is(0.665), LoadBalance: is(0.7), Serialization: is(1), Transfer: is(0.95)},
			"Parallel efficiency is 0.665. Look at load balance (some ranks compute longer than others)."},
		{"parallel efficiency by several", pop.Factors{Parallel: is(0.729), LoadBalance: is(0.9), Serialization: is(0.95), Transfer: is(0.8526)},
			"Parallel efficiency is 0.729. No single factor is below 0.8, but their product is; the lowest is transfer, 0.853 (messages take time beyond waiting for one another)."},
		{"global efficiency by several", pop.Factors{Parallel: is(0.957), LoadBalance: is(0.983), Serialization: is(0.983), Transfer: is(0.991), Computation: is(0.813), IPC: is(0.94), Instruction: is(0.941), Frequency: is(0.919), Global: is(0.778)},
			"Parallel efficiency is 0.957, global efficiency 0.778. No single factor is below 0.8, but their product is; the lowest is computation scalability, 0.813 (all ranks together compute longer for the work than in the reference)."},
		{"several beside starting and ending", pop.Factors{Parallel: is(0.776), LoadBalance: is(0.94), Communication: is(0.826), Serialization: is(0.978), Transfer: is(0.844), StartEnd: is(0.952)},
			"the lowest is transfer, 0.887 between starting and ending (messages take time beyond waiting for one another)."},
		{"two as low as each other", pop.Factors{Parallel: is(0.722), LoadBalance: is(0.85), Serialization: is(0.8501), Transfer: is(1)},
			"the lowest are load balance, 0.850 (some ranks compute longer than others) and serialization, 0.850 (ranks wait for one another even on a perfect network)."},
		{"communication by both of its parts", pop.Factors{Parallel: is(0.722), LoadBalance: is(1), Communication: is(0.722), Serialization: is(0.84), Transfer: is(0.86)},
			"No single factor is below 0.8, but their products are (communication 0.722); the lowest is serialization, 0.840 (ranks wait for one another even on a perfect network)."},
		{"without a replay", pop.Factors{Parallel: is(0.75), LoadBalance: is(0.9), Communication: is(0.8333)},
			"Parallel efficiency is 0.750. No single factor is below 0.8, but their product is; the lowest is communication, 0.833 (ranks spend time on communication and waiting)."},
		{"short, with most of it in starting and ending", pop.Factors{Parallel: is(0.179), LoadBalance: is(0.99), Communication: is(0.181), Serialization: is(0.98), Transfer: is(0.185), StartEnd: is(0.19)},
			"Parallel efficiency is 0.179. Look at start and end (starting and ending take a large part of this run)."},
		{"starting and ending beside messages", pop.Factors{Parallel: is(0.42), LoadBalance: is(1), Communication: is(0.42), Serialization: is(1), Transfer: is(0.42), StartEnd: is(0.7)},
			"Look at start and end (starting and ending take a large part of this run) and transfer (messages take time beyond waiting for one another)."},
		{"little of it in starting and ending", pop.Factors{Parallel: is(0.6), LoadBalance: is(1), Communication: is(0.6), Serialization: is(1), Transfer: is(0.6), StartEnd: is(0.98)},
			"Parallel efficiency is 0.600. Look at transfer (messages take time beyond waiting for one another)."},
		{"short, without a replay", pop.Factors{Parallel: is(0.2), LoadBalance: is(1), Communication: is(0.2), StartEnd: is(0.21)},
			"Parallel efficiency is 0.200. Look at start and end (starting and ending take a large part of this run)."},
		{"two are low", pop.Factors{Parallel: is(0.49), LoadBalance: is(0.7), Communication: is(0.7), Serialization: is(0.7), Transfer: is(1)},
			"Look at load balance (some ranks compute longer than others) and serialization (ranks wait for one another even on a perfect network)."},
		{"threads, of which one computes most, on ranks that are alike", pop.Factors{Parallel: is(0.475), LoadBalance: is(0.5), Communication: is(0.95), Serialization: is(1), Transfer: is(0.95),
			MPI: is(0.95), MPILoadBalance: is(1), MPICommunication: is(0.95), OpenMP: is(0.5), OpenMPLoadBalance: is(0.5), OpenMPCommunication: is(1)},
			"Parallel efficiency is 0.475. Look at OpenMP load balance (some threads compute longer than others of their rank)."},
		{"threads that all wait for one another", pop.Factors{Parallel: is(0.6), LoadBalance: is(1), Communication: is(0.6), Serialization: is(1), Transfer: is(1),
			MPI: is(1), MPILoadBalance: is(1), MPICommunication: is(1), OpenMP: is(0.6), OpenMPLoadBalance: is(1), OpenMPCommunication: is(0.6)},
			"Look at OpenMP communication (threads wait or stand idle while their rank is outside of MPI)."},
		{"uneven ranks, even threads", pop.Factors{Parallel: is(0.7), LoadBalance: is(0.7), Communication: is(1), Serialization: is(1), Transfer: is(1),
			MPI: is(0.7), MPILoadBalance: is(0.7), MPICommunication: is(1), OpenMP: is(1), OpenMPLoadBalance: is(1), OpenMPCommunication: is(1)},
			"Look at MPI load balance (some ranks are outside of MPI longer than others)."},
	} {
		if got := c.f.Words(); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %s\nwant: %s", c.name, got, c.want)
		}
	}
}
