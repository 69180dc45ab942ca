// Package trace holds per-rank event traces of message-passing programs: what
// each rank computed, sent, received and waited for, without any times.
//
// A trace is used in a few steps:
//
//  1. Open reads a trace in any of the known forms (SimGrid's time-independent
//     text through a list file or as one merged file, dPerf's text, or auspex's
//     own binary form) into a Trace. Text is checked strictly and folded while
//     it is read: a loop whose iterations communicate alike is kept once, as a
//     repeat block.
//  2. Trace.Cursor walks the actions of one rank, one at a time. Repeats are
//     walked in place and never expanded in memory.
//  3. Write, WriteText and WriteDPerf store a Trace in one of the three forms.
//     Going to the binary form and back to text gives the same actions.
//  4. Summarize counts what a trace does.
//
// A recorder that already has events builds a Program per rank with a Builder
// and puts the programs into a Trace. docs/trace-format.md describes the binary
// form byte by byte.
package trace
