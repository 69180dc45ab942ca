// Package symbols tells what stands at an address of an executable or library.
//
//  1. Open reads the ELF file, and its debug information where that lies in a
//     file of its own (by build id under /usr/lib/debug, or by debug link).
//  2. Object.Frames gives the functions at an address, those that the compiler
//     inlined there included, outermost first; Object.Line the source line.
//  3. Name writes a linker's symbol as the source has it.
//
// What is missing stays unknown: without debug information there are functions
// but no lines, without symbols neither.
package symbols
