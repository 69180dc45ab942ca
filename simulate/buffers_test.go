package simulate

import (
	"strings"
	"testing"
)

// lies tells what a replay takes, within bounds.
func lies(t *testing.T, what string, got, from, to float64) {
	t.Helper()
	if !(from <= got && got <= to) {
		t.Errorf("%s takes %.6f s, not %.6f to %.6f s", what, got, from, to)
	}
}

// Ten small messages take 1 ms together. A sender that computes leaves those to the
// end that the system's buffers do not hold; one that waits does not.
func TestSmallMessagesWaitForRoom(t *testing.T) {
	const ten, take = 10, "init;%sfinalize"
	sends, receives := strings.Repeat("isend 1 1 9984;", ten), strings.Repeat("recv 0 1 9984;", ten)
	do := func(sender, receiver string, set ...string) float64 {
		p, o := plain(t, append(set, "smpi/async-small-thresh:65536")...)
		return secondsOf(t, p, o, strings.Replace(take, "%s", sender, 1), strings.Replace(take, "%s", receiver, 1))
	}
	computes := sends + "compute 2000000;waitall;"
	takes(t, "a sender without bounds", do(computes, receives), 2e-3)
	lies(t, "a sender with room for two", do(computes, receives, "auspex/sendbuffer:20000"), 2.8e-3, 2.9e-3)
	takes(t, "a sender with room for all", do(computes, receives, "auspex/sendbuffer:200000"), 2e-3)
	lies(t, "a sender that waits", do(sends+"waitall;", receives, "auspex/sendbuffer:20000"), 1e-3, 1.1e-3)
	lies(t, "one that sends and waits by turns", do(strings.Repeat("send 1 1 9984;", ten), receives, "auspex/sendbuffer:20000"), 1e-3, 1.1e-3)
	lies(t, "one that computes after blocking sends", do(strings.Repeat("send 1 1 9984;", ten)+"compute 2000000;", receives, "auspex/sendbuffer:20000"), 2.7e-3, 3e-3)

	takes(t, "a receiver that computes", do(sends+"waitall;", "compute 2000000;"+receives, "auspex/sendbuffer:20000"), 2e-3)
	// A message that is larger than all room moves while its sender is inside MPI.
	takes(t, "a message larger than the room", do("isend 1 1 59984;compute 2000000;waitall;", "recv 0 1 59984;", "auspex/sendbuffer:20000"), 2e-3+610e-6)
	// What was carried makes room: the second time eight go at once.
	again := do(computes+computes, receives+receives, "auspex/sendbuffer:20000")
	lies(t, "the second time", again, 4.9e-3, 5.1e-3)
	// Within a host there are no such buffers.
	p, o := plain(t, "auspex/sendbuffer:1", "smpi/async-small-thresh:65536")
	if s := secondsOf(t, p, o, "init;isend 0 1 9984;compute 2000000;recv 0 1 9984;waitall;finalize", "init;finalize"); s > 2.01e-3 {
		t.Errorf("a message to itself waits for room: %v s", s)
	}
}

// A large message that waited for progress leaves its number to a small one that
// waits for room, while its ranks still look for the large one. Looking for progress
// must not let the small one go: it would go twice.
func TestRoomIsNotProgress(t *testing.T) {
	e := &engine{post: &post{}, delayed: make([]delayed, 2), ranks: []rank{{mode: inWaitAll}, {mode: inWaitAll}}}
	e.connections = map[[2]int32]*connection{}
	e.opts = &Options{HoldLarge: true}
	e.post.messages = []message{{src: 0, dst: 1, detached: true, bytes: 300}}
	e.ranks[1].host = 1
	e.connect(0, 1).sending = 1000 // no room
	if err := e.agreed(0, 0, true); err != nil {
		t.Fatal(err)
	}
	e.delayed[0].held = []int32{0} // what is left of the large one
	e.delayed[0].outgoing = nil
	if err := e.progressHeld(0, &e.ranks[0]); err != nil || e.post.messages[0].state != crowded || len(e.delayed[0].held) != 0 {
		t.Errorf("the message is %+v, %v", e.post.messages[0], err)
	}
}
