// Package timeline is what a picture of a measured trace needs: what every
// location did in a window of time, at the detail that can be told apart there,
// with waits by their causes, the critical path, and messages where they are
// few.
//
// It is used in two steps:
//
//  1. Build reads a trace once (an events.Source: Paraver, OTF2, or a replay of
//     a kept trace). Memory is bounded: beyond a few million stretches the
//     shortest of them are summed up.
//  2. Draw gives the part that is looked at. It takes stretches from the level
//     of detail that fits, so that zooming costs about the same whatever the
//     size of the trace.
package timeline
