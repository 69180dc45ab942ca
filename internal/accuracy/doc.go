// Package accuracy holds the tests that hold predictions against the truth. They
// take two hours and want a machine that does nothing else, so they run only
// when asked for, as root:
//
//		AUSPEX_ACCURACY=all go test ./internal/accuracy -timeout 4h -v
//
//	 1. "lab" builds two hosts joined at 1 Gbit/s and at 100 Mbit/s, calibrates
//	    both networks, and for each program and compiler level predicts and runs
//	    it there, five times in turn.
//	 2. "crowded" does so with four hosts that have half a core each, at -O2.
//	 3. "sequential" does so with a program of one process, by both methods.
//	 4. "cost" tells what predictions cost.
//	 5. "tables" predicts 2 to 16 processes on the two sites of the dPerf paper.
//	 6. "page" makes docs/accuracy/tables.md of the other files there.
//
// Parts are named with commas, or all. Every run is a line of a file in
// docs/accuracy; what is there is not run again, so a part that was interrupted
// goes on where it stopped. AUSPEX_ACCURACY_PRIORITY=1 gives the ranks priority
// over all else, for trying it out on a busy machine; AUSPEX_ACCURACY_RUNS takes
// the place of five, AUSPEX_ACCURACY_LEVELS that of 0,1,2,3,s.
package accuracy
