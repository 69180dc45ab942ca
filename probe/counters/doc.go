// Package counters chooses what a processor is to count.
//
//  1. Read finds out from the files that Linux shows (/proc/cpuinfo,
//     /sys/bus/event_source) which processor this is and how many events it
//     counts at once.
//  2. Processor.Choose turns names, ours or PAPI's, into events in groups that
//     are counted together. What one group cannot hold goes into another: the
//     kernel then lets the groups take turns, and whoever reads them scales.
//  3. Setting writes them for the measurement runtime.
//
// The kernel has names of its own for instructions, cycles and the first and last
// level of cache. For the second level it has none: processors that name one in
// sysfs (Arm) are taken at their word, for others the number of the event is taken
// from the makers' lists.
package counters
