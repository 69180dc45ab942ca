// Package peers replays programs of peers that iterate until all have
// converged, by P2PSAP's schemes, on a platform, with peers that die and are
// replaced.
//
// A recorded trace does not hold for such programs: how many iterations a peer
// makes depends on how old what it receives is. So the replay iterates a model
// of convergence instead, and whoever shows its results says so:
//
//  1. A peer is a row of cells, each with an error (relax.go). An iteration makes
//     of it rate · ((1 - coupling) · its own + coupling · the mean of those beside
//     it), in the same peer or, at the border, as of the newest message that came.
//     Where all are in step this shrinks by the rate. Steps, the iterations of a
//     measured synchronous run, gives the rate. A part of the error is a peer's
//     own and falls whatever the others send (model.go).
//  2. Messages cross the links of their route one after another; what is not
//     waited for is replaced by what is newer while it waits for its link, and
//     lost where a link's queue is full. Speeds, bandwidths and latencies change
//     by their profiles; over a link that is off nothing goes.
//  3. The end is found as the library finds it (p2psap/runtime/detect.h): by
//     words along the tree of peers, a freeze, and a vote.
//  4. Where the hosts of a lab share a machine's cores, peers and their links take
//     turns on them, and no host gets more than its share (cores.go).
//  5. Churn: peers fail by chance, by a rate, or by the profiles of their hosts'
//     states, and go on from their last checkpoint. Many replays give the
//     expected time and its spread.
package peers
