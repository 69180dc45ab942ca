// Package model holds what every other room talks about: an experiment, that
// is one measured (or repeated) run of a parallel program.
//
// An Experiment has
//
//  1. a Header: name, program, factors, metrics, where it came from;
//  2. Units: the processing units (node, process, thread) that did the work;
//  3. Regions: a tree of code regions (functions, loops, MPI calls …);
//  4. Summaries: for every unit and region it entered, one value per metric.
//
// Summaries are sparse: a unit that never entered a region has no row for it.
// Whether that absence means zero (times, counts) or "no answer" (ratios) is
// said by Metric.Missing and applied in one place, Matrix.
//
// Readers assemble an experiment with a Builder, which keeps the invariants
// that Check states: parents before children, siblings with distinct names,
// rows ordered by unit and region, no infinities.
package model
