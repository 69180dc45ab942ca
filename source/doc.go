// Package source reads C, C++ and Fortran as people wrote them, before any
// preprocessor, and tells what is where: functions, loops, branches, jumps, MPI
// calls and OpenMP directives, each with the exact bytes it occupies.
//
//  1. Parse takes a file's name and text and gives a File. Language and form
//     follow from the name, or from Options.
//  2. File.Units are its functions, subroutines and programs in order; a unit
//     holds the units inside it (internal procedures, lambdas).
//  3. Unit.Stmts is the body: a tree of statements in a shape that is the same
//     for the three languages. Walk visits it. A statement's Node leads down to
//     the syntax tree, and File.Expr reads expressions from there.
//  4. What could not be parsed is in Unit.Problems and File.Problems. The other
//     units of the file are not affected.
//
// Text that the grammar cannot take is changed before parsing, never in what
// the caller sees: fixed form becomes free form, preprocessor lines in Fortran
// become blanks; and where a function does not parse, it is tried again with
// the `#else` branches blanked, then with macros that stand as statements
// blanked. All offsets are offsets of the original text. The output of a
// preprocessor is read with Options.Preprocessed: lines then are those of the
// files it was made from.
package source
