// Package truth holds diagnoses against profiles whose causes are known,
// because they were planted.
//
//  1. Generate makes a random SPMD profile from a seed: a tree of regions,
//     ranks with noise, metrics that go with the work, others that vary for
//     reasons of their own, communication that waits for the slowest; and
//     plants nothing, one cause or two.
//     Stepped makes one by stepping through a run: other shapes of causes and noise.
//     Noisy has delays with heavy tails, paces that drift, and units that a neighbour
//     slows, and one kind of trouble or none. Teams has processes with threads, in groups
//     that meet, or beside servers.
//  2. Tally.Add scores a diagnosis of it: region, cause and headline right,
//     alarms that are false, causes that nothing measured explains; Told, what of a
//     noisy one; Finds, whether of one of teams.
//
// Method and thresholds were tuned on seeds from 0 on; seeds from 1000000 on
// are for the test; of Noisy's and Teams', the even ones and the odd.
package truth
