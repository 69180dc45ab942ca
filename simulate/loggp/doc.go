// Package loggp replays a trace in the LogGP model (Alexandrov, Ionescu,
// Schauser, Scheiman, SPAA 1995): a message takes a latency and a time per byte,
// whatever else is under way. Without contention nothing has to be shared, so a
// rank runs ahead on its own until it must wait for another, and a replay costs
// little more than reading the trace; where ranks receive from anyone, they go on in
// the order of time. With no latency and endless bandwidth it
// is the ideal network of POP's efficiencies; package simulate is for networks
// that get crowded.
//
//  1. Profile sums up the computation by region and rank.
//  2. Changes says what is to be different: regions scaled by rank, the network,
//     hosts.
//  3. Run replays and returns when each rank ends; with Options.Spans it also
//     hands over what each rank did when (package events).
//
// Collectives are one step: nobody leaves a collective of all to all before the
// last has come, nobody a broadcast before its root, a scan before those of lower
// rank, and the root of a reduction not before all others. Their cost is that of the algorithms in Thakur,
// Rabenseifner, Gropp, "Optimization of collective communication operations in
// MPICH" (IJHPCA 2005), section 3.
package loggp
