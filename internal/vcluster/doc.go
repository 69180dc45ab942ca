// Package vcluster builds the network of a platform file on one Linux machine,
// so that a real MPI program can run across it.
//
//  1. Plan turns a platform into nodes (hosts and the junctions between links)
//     and cables, and says what cannot be built.
//  2. Up makes a network namespace of every node and a veth pair of every
//     cable, with the bandwidth of its links (tc tbf). One more namespace, the
//     head, reaches all hosts by cables without a limit; commands start there.
//  3. Lab.Command prepares a command in the head. Its environment makes mpirun
//     of MPICH and of Open MPI start the ranks on the lab's hosts over TCP, so
//     any command that calls mpirun works unchanged.
//  4. Down removes everything, also what a lab left behind that was killed: all
//     names carry the lab's prefix, and nothing lies outside its namespaces but
//     a directory and the hosts' control groups.
//
// Each host has a core to itself, or a fixed share of one where there are more
// hosts than cores. Latencies are those of the machine: the kernel cannot be
// relied upon to delay packets, so a platform's latencies are not built.
package vcluster
