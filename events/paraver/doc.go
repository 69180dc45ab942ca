// Package paraver reads and writes traces in the form of BSC's Paraver, as
// Extrae records them: a .prv file of states, events and communications, plain
// or gzipped, and a .pcf file beside it that says what the numbers mean.
// ("Paraver Trace File Description", BSC, version 1.4.)
package paraver
