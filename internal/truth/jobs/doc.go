// Package jobs holds what is told of training jobs against jobs whose causes are
// known, because they were planted.
//
//  1. A rank runs a program of the kind that PyTorch runs: a main thread and
//     autograd's launch kernels on streams of a device, ranks meet in
//     collectives of NCCL or send each other activations, and the trace is what
//     Kineto would have written.
//  2. Generate draws a job from a seed (ranks, steps, layers, how the model is
//     cut, clocks, noise) and plants one trouble or none. Each delay hangs on
//     the seed and its place alone, so that the same job without its trouble is
//     the truth about what a cure would bring.
//  3. Tally.Add scores what is told: named first, told at all, untrue besides.
//
// Rules were tuned on odd seeds of the usual jobs; even seeds, and the jobs of the
// other make (other names, no ranges of the program, other sizes), are for the test.
package jobs
