// Package cluster groups points: processes by the time they spend in each
// region, metric values into classes, regions into degrees of severity.
//
// To find which processes are alike:
//
//  1. Put one row per process into [Points].
//  2. Call [Auto]. It chooses the radius and returns a [Linkage], the kinds at
//     that radius, with the [Choice] to be printed beside them.
//  3. [Kinds] turns labels into lists of processes.
//  4. Ask [Linkage.Zeroing] which coordinates the kinds rest on, and
//     [Linkage.Replace] with [Changed] whether another column tells the same
//     story. Neither chooses the radius again.
//
// To look at the structure behind that, or with parameters of one's own:
//
//  1. Call [Optics] for the [Ordering]; plotted in that order, reachability
//     shows clusters as valleys.
//  2. Cut it at a distance with [Ordering.At].
//
// To divide points into a given number of classes use [KMeans], exact on a
// line; for degrees of belonging use [CMeans], or [SuggestCMeans] where the
// number is not given.
//
// Distances are Euclidean. Memory grows linearly with the number of points. All
// results are the same in every run: where chance is needed its seed is fixed.
package cluster
