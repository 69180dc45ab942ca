// Package calibrate measures a real network and turns it into a platform that
// package simulate replays programs on.
//
//  1. Build compiles the ping-pong program, which is part of this package, with
//     the user's MPI compiler; the user's own command runs it on two or more
//     hosts.
//  2. Read takes its output: times of messages from 1 byte to 16 MB, one way and
//     both ways at once, the time sends and receives take themselves, the size
//     from which on a send waits for its receive, and the processors' speeds.
//  3. Fit finds the constants of SimGrid's SMPI model (Clauss et al., IPDPS
//     2011): latency and bandwidth, their factors by the message's size, and the
//     overheads os, or and ois.
//  4. Calibration.WriteTOML and WriteXML write the platform with these constants
//     in its configuration. Check replays the ping-pong on it and holds the
//     times against the measured ones, size by size.
//
// Medians are fitted, by least squares of the relative error.
package calibrate
