// Package expr reads and computes metric expressions, such as
// L2_TCM/L2_TCA or (cycles - stalls)/instructions.
//
// The same words and the same parser serve derived metrics, the fuzzy
// vocabulary and the query language, so that an expression means one thing
// everywhere.
//
//  1. [Parse] turns text into a tree of [Node]s. What is wrong with the text
//     comes back as an [*Error] that knows the offset and can draw a caret.
//  2. [Names] lists the metrics a tree needs.
//  3. [Eval] computes a tree over columns of float64, or [SQL] renders it for
//     the database. Both agree: missing is NaN or NULL, and whatever has no
//     finite value (division by zero, overflow) is missing too.
//  4. Node.String prints text that parses back to an equal tree.
//
// A bare name is made of letters, digits and _, with . # : % allowed inside
// (wtime.inc, sum#time.duration). Any other name stands in double quotes, with
// \" and \\ inside: "L2 misses (PAPI)". The words of the query language (see
// [Reserved]) need quotes too.
//
// Other grammars build on this one: [NewCursor] cuts a text into tokens with
// byte offsets, and [Cursor.Expr] parses an expression from where the cursor
// stands up to the first token that cannot continue it.
package expr
