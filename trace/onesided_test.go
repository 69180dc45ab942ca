package trace

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// oneSided is what rank 0 does to its own window.
var oneSided = []Action{
	{Kind: Fence, Type: DefaultType, Type2: DefaultType, Peer: RootUnset},
	{Kind: Lock, Type: DefaultType, Type2: DefaultType, Tag: LockAlone},
	{Kind: Put, Type: Byte, Type2: DefaultType, Count: 300},
	{Kind: Get, Type: Double, Type2: DefaultType, Count: 3},
	{Kind: Flush, Type: DefaultType, Type2: DefaultType, Peer: AnySource, Tag: FlushLocal},
	{Kind: Unlock, Type: DefaultType, Type2: DefaultType},
}

// TestOneSided: the binary form keeps one-sided communication, and text refuses it.
func TestOneSided(t *testing.T) {
	tr := build(0, oneSided)
	var bin bytes.Buffer
	if err := Write(&bin, tr); err != nil {
		t.Fatal(err)
	}
	again, err := Read("again", &bin)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(actions(tr, 0), actions(again, 0), ignoreUnset()); diff != "" || again.Actions() != int64(len(oneSided)) {
		t.Error(diff)
	}
	if err := WriteText(io.Discard, tr, 0); err == nil || !strings.Contains(err.Error(), "action 0 of rank 0: the time-independent form has no fence, nor any other one-sided communication") {
		t.Error(err)
	}
	if err := WriteDPerf(io.Discard, tr, 0); err == nil || !strings.Contains(err.Error(), "dPerf's form has no fence") {
		t.Error(err)
	}
	for _, line := range []string{"0 put 0 8", "0 fence", "0 team 3"} {
		if err := (&lineReader{line: []byte(line[2:])}).parse(&Action{}, 1); err == nil || !strings.Contains(err.Error(), "is not known") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestOneSidedMistakes: windows of nobody are refused.
func TestOneSidedMistakes(t *testing.T) {
	for _, a := range []Action{{Kind: Put, Peer: 2}, {Kind: Get, Peer: NullPeer}, {Kind: Lock, Peer: AnySource}, {Kind: Put, Count: -1}} {
		if err := validate(&a, 2); err == nil {
			t.Errorf("%s of %d elements with %d was let through", a.Kind, a.Count, a.Peer)
		}
	}
}
