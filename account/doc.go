// Package account keeps the one ledger of a run: where units × run time went.
// Every share that auspex prints of a run is a share of this product.
//
//  1. Sort tells what the time of each region is: work, communication,
//     waiting, input and output, or starting and ending.
//  2. Draw takes the exclusive times of units of one type and makes the lines
//     of the ledger, which add up to units × run time.
//  3. Ledger.Headline names the largest line that could be avoided.
//
// Work on the units' own clock is useful. What a unit waits, in communication
// or after its end, is imbalance as far as other units of its role had more
// work than it, in the regions where they had it; the rest is waiting. Of a
// communication call the least that any unit spent in it is its own cost.
// Wall time without CPU time outside communication is a processor shared.
package account
