package trace

import (
	"bytes"
	"reflect"
	"testing"
)

func someStops() Stops {
	return Stops{
		{{Action: 3, Seconds: 0.5}, {Action: 3, Within: true, Seconds: 0.25, Rest: 2}, {Action: 9, Within: true, Before: 3, Seconds: 0.5, Rest: 1}, {Action: 1 << 40, Seconds: 1}},
		nil,
		{{Within: true, Outside: true, Seconds: 0.125}},
	}
}

// TestStopsAgain: what is written is read.
func TestStopsAgain(t *testing.T) {
	want := someStops()
	got, err := DecodeStops(want.Encode())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestOldStops: what earlier versions kept is read.
func TestOldStops(t *testing.T) {
	old := append([]byte(oldStopsMagic), 1, 1, 3<<2|1, 0, 0, 0, 0x3f, 0, 0, 0, 0x40)
	got, err := DecodeStops(old)
	if want := (Stops{{{Action: 3, Within: true, Seconds: 0.5, Rest: 2}}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestStopsDamaged: whatever is cut off or appended is told.
func TestStopsDamaged(t *testing.T) {
	whole := someStops().Encode()
	for n := range whole {
		if got, err := DecodeStops(whole[:n]); err == nil {
			t.Fatalf("%d of %d bytes are read: %v", n, len(whole), got)
		}
	}
	if _, err := DecodeStops(append(bytes.Clone(whole), 0)); err == nil {
		t.Error("a byte too many is read")
	}
}

// FuzzStops: nothing breaks, and what is accepted can be written again.
func FuzzStops(f *testing.F) {
	f.Add(someStops().Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := DecodeStops(b)
		if err != nil {
			return
		}
		again, err := DecodeStops(got.Encode())
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%v, then %v, %v", got, again, err)
		}
	})
}
