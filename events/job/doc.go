// Package job makes a measured trace of the ranks of a training job, where their
// collectives say which group they are of and which number they have in it.
//
// LaneOf takes from a rank's profile what a lane of the trace needs, so that the
// profiles need not be in memory together; New joins the lanes to an
// events.Source. What a rank does between its collectives is computation, in the
// range that the program named (forward, load_batch), where devices meet in the
// one that launched it; a collective lasts from when the rank was ready for it
// until it ended. A rank has one lane: a collective that began while another was under way begins where that ends, and
// what the rank computed beside a collective comes before it, so that of a
// collective only what is not hidden takes time; events.Span.Lead says since when
// the rank was ready for it. For a replay it stands where the rank needs what it
// brings (Source.ForReplay).
package job
