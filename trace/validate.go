package trace

import (
	"fmt"
)

// maxBytes bounds one message, so that sums of sizes stay exact.
const maxBytes = 1 << 50

// maxAmount bounds flops and seconds, so that dates stay finite.
const maxAmount = 1e30

// untoldSource is what smpirun -trace-ti of SimGrid 3.32 writes for MPI_ANY_SOURCE.
const untoldSource = -333

// validate refuses an action that no program of np ranks could have done.
func validate(a *Action, np int) error {
	f := kindFields[a.Kind]
	root := a.Kind.Collective()
	if f&hasPeer != 0 {
		if err := validPeer(a, a.Peer, np, root); err != nil {
			return err
		}
	}
	if f&hasPeer2 != 0 && !receives(a.Peer2) && !inRange(a.Peer2, np) {
		return fmt.Errorf("%s names rank %d, but there are %d ranks", a.Kind, a.Peer2, np)
	}
	switch a.Kind {
	case Send, Isend, Recv, Irecv, Wait, Test:
		if a.Tag < 0 && a.Tag != AnyTag {
			return fmt.Errorf("%s has the negative tag %d", a.Kind, a.Tag)
		}
		if a.Tag == AnyTag && (a.Kind == Send || a.Kind == Isend) {
			return fmt.Errorf("%s needs a tag of its own, not %d", a.Kind, a.Tag)
		}
	}
	if f&hasCount != 0 && a.Kind != CommSplit {
		open := (a.Kind == Recv || a.Kind == Irecv) && (a.Count == ProbeSize || a.Count == AnySize)
		if !open && (a.Count < 0 || a.Count > maxBytes) {
			return fmt.Errorf("%s has the impossible size %d", a.Kind, a.Count)
		}
	}
	if f&hasCount2 != 0 && (a.Count2 < 0 || a.Count2 > maxBytes) {
		return fmt.Errorf("%s has the impossible size %d", a.Kind, a.Count2)
	}
	if f&hasValue != 0 && (!(a.Value >= 0 && a.Value <= maxAmount) || !(a.Variance >= 0)) {
		return fmt.Errorf("%s of %g: the amount must be a number from 0 to %g", a.Kind, a.Value, maxAmount)
	}
	if f&hasCounts != 0 {
		if err := validCounts(a, a.Counts, np); err != nil {
			return err
		}
	}
	if f&hasCounts2 != 0 {
		if err := validCounts(a, a.Counts2, np); err != nil {
			return err
		}
	}
	if (a.Type > LongLong && a.Type != DefaultType) || (a.Type2 > LongLong && a.Type2 != DefaultType) {
		return fmt.Errorf("%s has an unknown datatype; 0 double, 1 int, 2 char, 3 short, 4 long, 5 float, 6 byte and 7 long long are known", a.Kind)
	}
	return nil
}

// receives tells whether a peer stands for any source or for nobody.
func receives(peer int32) bool {
	return peer == AnySource || peer == AnySource-1 || peer == NullPeer
}

func inRange(peer int32, np int) bool { return peer >= 0 && int(peer) < np }

func validPeer(a *Action, peer int32, np int, root bool) error {
	switch {
	case root && peer == RootUnset, inRange(peer, np):
		return nil
	case root:
		return fmt.Errorf("%s has root %d, but there are %d ranks", a.Kind, peer, np)
	case peer == NullPeer && !a.Kind.OneSided():
		return nil
	case peer == AnySource && (a.Kind == Recv || a.Kind == Irecv || a.Kind == Flush || a.Kind == Unlock):
		return nil
	case receives(peer) && (a.Kind == Wait || a.Kind == Test):
		return nil
	case peer == untoldSource && (a.Kind == Recv || a.Kind == Irecv):
		return fmt.Errorf("%s names rank %d, which is MPI_ANY_SOURCE in SimGrid 3.32 and no rank that its replay knows; write %d, a receive from anyone, in its place", a.Kind, peer, AnySource)
	}
	return fmt.Errorf("%s names rank %d, but there are %d ranks", a.Kind, peer, np)
}

func validCounts(a *Action, counts []int64, np int) error {
	if a.Comm == 0 && len(counts) != np {
		return fmt.Errorf("%s has %d counts for %d ranks", a.Kind, len(counts), np)
	}
	for _, n := range counts {
		if n < 0 || n > maxBytes {
			return fmt.Errorf("%s has the impossible size %d", a.Kind, n)
		}
	}
	return nil
}
