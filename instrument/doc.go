// Package instrument puts region probes into source text. What it inserts it
// only inserts: take the insertions away and the original is back byte for
// byte, and the compiler's messages still name the user's file and line.
//
//  1. Parse a file with package source.
//  2. Candidates lists what could be measured, as a tree of functions and the
//     loops in them, and which of it Options choose: functions and outer loops
//     of at least MinLines lines, unless told otherwise. A Filter, read from a
//     file by ReadFilter, decides region by region.
//  3. Rewrite inserts the probes for the chosen ones and returns the new text,
//     every insertion, and the regions in the order of their numbers. What was
//     left alone says why.
//
// C and C++ get a guard variable at the head of a function, and a block with a
// guard around a loop, so that return, break, goto and exceptions all leave
// the region. Fortran gets calls at every way in and out. The inserted text
// calls the functions of ABI, which the measurement runtime provides.
package instrument
