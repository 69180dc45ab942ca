// Package sweep runs a study of many points, on this machine or as a Slurm job
// array, so that each point is done once and none is lost.
//
//  1. ReadStudy reads a study: what a point is and the grid of its settings.
//  2. Study.Points lays the grid out. A point is known by what it does, so a
//     study that has grown does only what is new.
//  3. A Folder holds what is known of a study: its plan, what came out of each
//     point, and who is working on what. Many processes on many machines write
//     to it at once: each has a file of its own for what came out, and claims
//     the points that it takes by renaming a folder into place, in which one of
//     many succeeds on every shared file system.
//  4. Worker does points until none is left or it is told to stop.
//  5. Script is the job array; Estimate says what its tasks need.
//  6. Tabulate answers: the best point, what matters, where it breaks; Next
//     tells which runs would narrow that most.
//
// What a point does is not known here: the caller hands in a function.
package sweep
