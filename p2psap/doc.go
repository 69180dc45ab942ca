// Package p2psap lets programs of the peer-to-peer kind be built and run: a
// small implementation of P2PSAP, the self-adaptive protocol for peer-to-peer
// computing of El Baz and Nguyen, which the dPerf paper names beside MPI.
//
//  1. Library compiles the C library (runtime) that programs are linked with,
//     once for each compiler and version, and lays the header and the Fortran
//     module beside it (include).
//  2. Run starts the peers of a run, here or on other hosts, and hands each its
//     rank, the run's key and the place of one peer to meet, through a
//     descriptor that only that process has. Peers find one another from there.
//  3. A peer that is killed is started again, with the next incarnation's
//     number; the library gives it the state that its neighbours hold.
//
// How messages travel is decided by the scheme of computation and by whether
// two peers are in one cluster: include/p2psap.h has the table,
// runtime/detect.h says how the end of an iteration without common steps is
// found.
package p2psap
