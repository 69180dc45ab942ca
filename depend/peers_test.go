package depend

import "testing"

// P2PSAP's calls are communication, as MPI's are; those that ask for something
// local are not.
func TestPeerCallsCommunicate(t *testing.T) {
	for name, want := range map[string]bool{"P2P_Send": true, "p2p_receive": true, "P2P_Converged": true, "P2P_Rank": false, "MPI_Send": true, "send": false} {
		if got := isMPI(name) && !localMPI(name); got != want {
			t.Errorf("%s communicates: %v, want %v", name, got, want)
		}
	}
	m := messageOf(invocation{name: "P2P_Receive"})
	if len(m.receive) != 1 || m.receive[0] != 1 || len(m.send) != 0 {
		t.Errorf("P2P_Receive fills %v and sends %v", m.receive, m.send)
	}
}
