// Package predict tells how long a program would take on machines that are not
// there, by the method of dPerf (Cornea and Bourgeois, "A framework for
// efficient performance prediction of distributed applications in heterogeneous
// systems", 2012).
//
//  1. A Request names the program's source tree, how it is built and run, for
//     which numbers of processes and compiler levels, and on which platforms.
//  2. Run copies the tree for every level, builds it there, runs it here with
//     the measurement runtime, and takes a trace for every level and number of
//     processes: what each rank computed between its messages (simple block
//     benchmarking). By the threshold rule, loops that may be cut short are:
//     they run until the time of an iteration has settled, and the rest is
//     reckoned.
//  3. Every trace is replayed on every platform. A Report holds the predicted
//     times, their intervals, what they cost by the paper's equations 5, 6 and
//     13, and what was assumed.
//
// Nothing is left behind: the copies are removed, also when the context ends.
package predict
