// Package whatif prices changes to a parallel program before anyone makes them:
// it changes the program's trace and replays it.
//
//  1. New takes a trace, how the network is (a LogGP model, or a platform), and
//     how long the run took where that is known.
//  2. ParseChange reads changes as the command line writes them; Case.Price
//     replays with some of them and says the new time, the gain, an interval,
//     and what limits the program then.
//  3. Case.Opportunities tries what could be changed, sorts by gain, prices the
//     second after the first, and shares the loss among its causes by Shapley's
//     values, which add up where gains do not.
//
// What a replay cannot know (the start of the program, MPI's own work) is taken
// to stay as it was: the new time is the measured one less what the replays
// differ by.
package whatif
