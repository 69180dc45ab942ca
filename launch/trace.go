package launch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"auspex/probe"
	"auspex/trace"
)

var actionKinds = map[probe.EventKind]trace.Kind{
	probe.EventInit: trace.Init, probe.EventFinalize: trace.Finalize, probe.EventCommSplit: trace.CommSplit,
	probe.EventSend: trace.Send, probe.EventIsend: trace.Isend, probe.EventRecv: trace.Recv, probe.EventIrecv: trace.Irecv,
	probe.EventSendrecv: trace.SendRecv, probe.EventWait: trace.Wait, probe.EventBarrier: trace.Barrier, probe.EventBcast: trace.Bcast,
	probe.EventReduce: trace.Reduce, probe.EventAllreduce: trace.Allreduce, probe.EventScan: trace.Scan, probe.EventExscan: trace.Exscan,
	probe.EventAlltoall: trace.Alltoall, probe.EventAlltoallv: trace.Alltoallv, probe.EventGather: trace.Gather, probe.EventScatter: trace.Scatter,
	probe.EventAllgather: trace.Allgather, probe.EventGatherv: trace.Gatherv, probe.EventAllgatherv: trace.Allgatherv,
	probe.EventScatterv: trace.Scatterv, probe.EventReduceScatter: trace.ReduceScatter,
}

// CollectTrace makes a trace of the events that the ranks of a run wrote into
// dir. Sizes are bytes; computation is in ns, so a host of 10⁹ flop/s replays it
// as it was.
func CollectTrace(ctx context.Context, dir string) (*trace.Trace, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.events"))
	if err != nil {
		return nil, err
	}
	sort.Slice(files, func(i, j int) bool { return rankOf(files[i]) < rankOf(files[j]) })
	t := &trace.Trace{}
	for i, file := range files {
		if rankOf(file) != i {
			return nil, fmt.Errorf("there is no trace of rank %d: it did not come to its end", i)
		}
		program, err := readProgram(ctx, file, i)
		if err != nil {
			return nil, err
		}
		t.Programs = append(t.Programs, program)
	}
	if len(files) == 0 {
		return nil, errors.New("no trace was recorded: the program makes no MPI calls")
	}
	return t, nil
}

func rankOf(file string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".events"))
	if err != nil {
		return -1
	}
	return n
}

func readProgram(ctx context.Context, file string, rank int) (trace.Program, error) {
	b := trace.NewBuilder(rank)
	b.Means = true
	n := 0
	err := probe.ReadEvents(file, func(e *probe.Event) error {
		if n++; n%65536 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if e.Compute >= 1 {
			b.Add(&trace.Action{Kind: trace.Compute, Value: math.Round(e.Compute), Variance: e.Variance})
		}
		a := action(e)
		b.Add(&a)
		return nil
	})
	return b.Program(), err
}

func action(e *probe.Event) trace.Action {
	a := trace.Action{
		Kind: actionKinds[e.Kind], Type: trace.Byte, Type2: trace.Byte, Comm: int32(e.Comm), Peer: peer(e.Peer), Peer2: peer(e.Peer2),
		Tag: int32(e.Tag), Count: e.Count, Count2: e.Count2, Counts: e.Sends, Counts2: e.Receives,
	}
	switch e.Kind {
	case probe.EventSend, probe.EventIsend, probe.EventRecv, probe.EventIrecv, probe.EventWait:
		if e.Tag == probe.Any {
			a.Tag = trace.AnyTag
		}
	case probe.EventAlltoallv:
		for _, n := range e.Sends {
			a.Count += n
		}
		for _, n := range e.Receives {
			a.Count2 += n
		}
	}
	return a
}

func peer(rank int) int32 {
	switch rank {
	case probe.Any:
		return trace.AnySource
	case probe.None:
		return trace.NullPeer
	}
	return int32(rank)
}

// WriteTrace collects a trace into a file, in the binary form.
func WriteTrace(ctx context.Context, dir, file string) error {
	t, err := CollectTrace(ctx, dir)
	if err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := trace.Write(out, t); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
