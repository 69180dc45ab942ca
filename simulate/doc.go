// Package simulate replays the traces of a parallel program on a platform and
// says how long the program takes, where each rank's time goes, and which links
// were busy.
//
// It is used in three steps:
//
//  1. Read a platform (package platform), place the ranks on its hosts, and
//     open a trace (package trace).
//  2. Start from Defaults and change what is wanted, or feed SimGrid's option
//     names to Options.Set.
//  3. Call Run. The Result holds the total, every rank's finish time and the
//     split of its time; a Deadlock error says who waits for whom.
//
// Time is driven by events. The network is a set of flows that share links by
// weighted max-min fairness (solver.go, network.go); processors are shared
// fairly (cpu.go); MPI's point-to-point rules sit on top (match.go, rank.go),
// and collectives are sequences of point-to-point steps (collective*.go). A
// rank is a small state machine that runs until it has to wait. Iterations that
// repeat exactly are skipped (recur.go). The answers follow SimGrid 3.32's SMPI
// replay; docs/RATIONALE.md says where they differ on purpose.
package simulate
