// Package training tells of jobs that train models on many accelerators: which
// rank is late, what makes it late, and what that costs.
//
//  1. A Trace is what the profiler of one rank wrote down: intervals on threads
//     of the processor and on streams of the accelerator (package kineto of
//     ingest reads it).
//  2. Summarize makes a Rank of it: steps, arrivals at collectives, and the
//     time that each place of the program took in each step. It is small, so
//     that the traces of a large job need not be in memory together.
//  3. Stragglers sets the ranks against each other: the clocks are aligned by
//     the collectives, every arrival is held against the others' arrivals, and
//     what the late rank did more than the others is the cause.
//  4. Device and Compare answer what one accelerator did and how two traces
//     differ.
//  5. Operations are the long tables that large sites keep of every worker's
//     forward and backward passes and transfers; WhatIf replays them with each
//     operation at its ideal time (arXiv 2505.05713).
//
// The package knows no files.
package training
