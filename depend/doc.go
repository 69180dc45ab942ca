// Package depend tells what in a program depends on what: whether the
// iterations of a loop are independent, which statements decide or feed which
// (the system dependence graph), and whether a loop may be cut short without
// changing what the rest of the program does.
//
//  1. New takes the parsed files of one program.
//  2. Program.Loops gives every loop a verdict with the reason in a sentence.
//  3. Program.Graph builds the dependence graph of all procedures; Graph.Slice
//     follows it back from a line or a variable.
//  4. Program.Safe answers for one loop whether anything its skipped
//     iterations would have computed reaches a branch, a subscript, a loop
//     bound or a communication elsewhere.
//
// All answers err to one side: what is not understood counts as dependent, and
// as unsafe. The text is analysed as it is given: in unpreprocessed text a macro
// that is called like a function is a call of which nothing is known. Text that
// went through a preprocessor (source.Options.Preprocessed) is analysed with
// its macros expanded, and answers name the lines of the original files.
package depend
