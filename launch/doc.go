// Package launch turns what the user types anyway into a measured run.
//
//  1. Compiler.Run stands in for a compiler: it instruments the sources on the
//     command line, hands them to the real compiler, and links what an
//     instrumented program needs to run by itself. A build never breaks
//     because of it: where the instrumented form does not compile, the
//     original is compiled, and a line says so.
//  2. Runner.Run runs a command, such as mpirun with a program, with the
//     measurement runtime preloaded into the ranks. Input, output and exit
//     status are the program's own.
//  3. Collect makes an experiment of what the processes wrote, whether they
//     all came to their end or not.
package launch
