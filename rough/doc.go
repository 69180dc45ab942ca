// Package rough explains a decision by the attributes that go with it, with
// the rough sets of "Debugging SPMD programs", section 4: which of the metrics
// collected tell the kinds of processes apart?
//
//  1. Fill a [Table]: a row per process, a small number per attribute (the
//     class of a metric's value), and the decision (the kind).
//  2. Call [Reduce]. The [Result] holds the core, the reducts and the one
//     chosen among them, and the rows that no attribute tells apart.
//  3. For display, [Collapse] the table and ask for its [Matrix].
//
// Rows that are the same in everything count once, and no matrix is made to
// reduce a table with many distinct rows, so a table may have a hundred
// thousand of them. A reduct is a set of attributes that tells apart all rows
// that can be told apart, and from which none can be left out. Finding the
// smallest is a hard problem in general: work is bounded, and the result says
// whether the bound was met.
package rough
