package training

import (
	"strings"
	"testing"
)

// TestNetworkFix: NCCL's settings matter where NCCL sends, and NCCL is better than gloo
// where a device has the data.
func TestNetworkFix(t *testing.T) {
	for _, c := range []struct {
		hold Hold
		ends string
	}{
		{Hold{Cause: heldNetwork}, "or look at the network and at NCCL's settings"},
		{Hold{Cause: heldNetwork, onHost: true}, "or look at the network"},
		{Hold{Cause: heldNetwork, onHost: true, gloo: true}, "compression)"},
	} {
		fix := c.hold.fix()
		if !strings.HasSuffix(fix, c.ends) || strings.HasPrefix(fix, "NCCL in place of gloo") != c.hold.gloo {
			t.Errorf("%+v: %s", c.hold, fix)
		}
	}
}
