// Package events is the form of a measured trace: what every rank did, from
// when to when, in which region, and with whom it exchanged messages.
//
// It is used in three steps:
//
//  1. A reader (events/paraver, events/otf2) or a replay is a Source. Its Each
//     hands over Spans: those of one location in order of time, those of
//     different locations about in the order in which they end. Nothing is kept,
//     so a trace may be larger than memory.
//  2. Readers of foreign clocks go through Align, which shifts the ranks' clocks
//     so that no message is received before it was sent, as far as shifts can.
//  3. Program turns spans into a trace.Trace that can be replayed; Chrome and
//     paraver.Write write them for other tools; package waits looks for waiting.
package events
