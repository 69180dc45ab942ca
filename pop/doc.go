// Package pop computes the efficiencies of the POP project's hierarchy (Wagner,
// Mohr, Giménez, Labarta, "A structured approach to performance analysis",
// 2019): factors between 0 and 1 whose product says how well a parallel run
// used its processors.
//
//  1. Measure sums up a measured trace: useful time, run time, instructions and
//     cycles, and the run time of a replay on the ideal network, which has no
//     latency and endless bandwidth.
//  2. Of turns that into the factors of one run; Scale adds those that compare
//     runs with a reference.
//
// Load balance is mean over greatest useful time; communication is greatest
// useful time over run time; serialization is greatest useful time over run
// time, both on the ideal network, and transfer the rest of communication.
// Parallel is their product. Computation scalability is the reference's useful time over
// this run's (strong scaling), the product of those of IPC, instructions and
// frequency. Global is parallel times computation scalability.
package pop
