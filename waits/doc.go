// Package waits finds where ranks wait for one another in a measured trace, and
// what they wait for.
//
//  1. Analyze reads a trace (package events) once, keeping no more than what the
//     ranks have done since they last met. The patterns are Scalasca's: a
//     receive before its send (late sender), a send before its receive (late
//     receiver), collectives that some enter before others, locks and barriers
//     of threads.
//  2. Every wait is handed to its causes, as delay costs (Böhme, Geimer, Arnold,
//     Voigtlaender, Wolf, "Identifying the Root Causes of Wait States in
//     Large-Scale Parallel Applications", ACM TOPC 3(2), 2016): of the time since
//     the two last synchronised, what the late rank spent longer than the
//     waiting one, by region, and what it waited itself. Two synchronise where one
//     waits for the other: a message that was there already holds nobody up, and
//     brings nobody into step. A wait is shared in proportion; the part that falls
//     to waits is passed on to the causes of those. So the causes of all waits add up to the waits.
//  3. Report lists patterns by call path with their causes, and the critical
//     path: the chain of work and messages that the run time consists of.
package waits
