// Package probe is the measurement runtime: C source that counts and times
// inside the measured program, and the reader of the files it leaves behind.
//
//  1. Build compiles the runtime with the user's own MPI compiler into a shared
//     object, once for each MPI and version of the runtime; Builds for programs
//     without MPI use the C compiler. The wrappers of MPI functions are
//     generated from the functions that the compiler's own mpi.h declares.
//  2. The shared object is preloaded into a program with $AUSPEX_DIR naming a
//     directory. Every process that has anything to tell makes one file there.
//     Stub is the text that instrumented sources carry: it hands events to the
//     runtime where it is loaded, and to nothing where it is not.
//  3. ReadFile reads such a file, of a process that ended or of one that was
//     killed at any instant: the runtime counts in the mapped file itself.
//
// What is measured: every thread keeps a tree of call paths in which it counts
// calls, wall and CPU time, messages, bytes, I/O, loop iterations, page faults,
// context switches and, where the kernel gives them, hardware counters. All
// values are exclusive. runtime/format.h describes the file.
package probe
