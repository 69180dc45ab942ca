package depend

import (
	"strings"

	"auspex/source"
)

// message is what an MPI routine does with its arguments: which are buffers
// sent, which are filled from other ranks, which are set to something local.
type message struct {
	send, receive, out []int
	lists              []int // parameters that are arrays: counts and displacements
	// alike is set where every rank receives the same.
	alike bool
}

// messages are the routines by name without MPI_. The arguments not named are
// parameters: counts, types, partners, tags, communicators, requests.
var messages = map[string]message{
	"send": {send: []int{0}}, "ssend": {send: []int{0}}, "bsend": {send: []int{0}}, "rsend": {send: []int{0}},
	"isend": {send: []int{0}, out: []int{6}}, "issend": {send: []int{0}, out: []int{6}}, "irsend": {send: []int{0}, out: []int{6}},
	"recv": {receive: []int{0, 6}}, "irecv": {receive: []int{0}, out: []int{6}},
	"sendrecv":         {send: []int{0}, receive: []int{5, 11}},
	"sendrecv_replace": {send: []int{0}, receive: []int{0, 8}},
	"bcast":            {send: []int{0}, receive: []int{0}, alike: true},
	"reduce":           {send: []int{0}, receive: []int{1}},
	"allreduce":        {send: []int{0}, receive: []int{1}, alike: true},
	"scan":             {send: []int{0}, receive: []int{1}}, "exscan": {send: []int{0}, receive: []int{1}},
	"reduce_scatter": {send: []int{0}, receive: []int{1}, lists: []int{2}}, "reduce_scatter_block": {send: []int{0}, receive: []int{1}},
	"gather": {send: []int{0}, receive: []int{3}}, "gatherv": {send: []int{0}, receive: []int{3}, lists: []int{4, 5}},
	"allgather": {send: []int{0}, receive: []int{3}, alike: true}, "allgatherv": {send: []int{0}, receive: []int{3}, lists: []int{4, 5}, alike: true},
	"scatter": {send: []int{0}, receive: []int{3}}, "scatterv": {send: []int{0}, receive: []int{4}, lists: []int{1, 2}},
	"alltoall": {send: []int{0}, receive: []int{3}}, "alltoallv": {send: []int{0}, receive: []int{4}, lists: []int{1, 2, 5, 6}},
	"wait": {out: []int{0, 1}}, "waitall": {out: []int{1, 2}}, "waitany": {out: []int{1, 2, 3}}, "test": {out: []int{0, 1, 2}},
	"barrier": {}, "comm_size": {out: []int{1}}, "comm_rank": {receive: []int{1}}, "wtime": {}, "wtick": {}, "init": {}, "finalize": {},
	"init_thread": {out: []int{3}}, "abort": {}, "comm_free": {}, "comm_dup": {out: []int{1}}, "comm_split": {receive: []int{3}},
	"type_commit": {}, "type_free": {}, "type_contiguous": {out: []int{2}}, "type_vector": {out: []int{4}},
	"dims_create": {out: []int{2}}, "cart_create": {out: []int{5}}, "cart_coords": {receive: []int{3}}, "cart_shift": {receive: []int{3, 4}},
	"get_count": {receive: []int{2}}, "probe": {receive: []int{3}},
}

// peerMessages are the calls of P2PSAP, by name without P2P_.
var peerMessages = map[string]message{
	"init": {}, "finish": {}, "rank": {}, "peers": {}, "cluster": {}, "scheme": {}, "error": {}, "wait": {}, "converged": {},
	"send": {send: []int{1}}, "receive": {receive: []int{1}}, "checkpoint": {send: []int{0}}, "restore": {receive: []int{0}}, "count": {out: []int{0}},
}

// messageOf looks a routine up. Of an unknown one all arguments may be filled.
func messageOf(c invocation) message {
	if name, ok := strings.CutPrefix(strings.ToLower(c.name), "p2p_"); ok {
		if m, known := peerMessages[name]; known {
			return m
		}
	}
	if m, ok := messages[messageName(c)]; ok {
		return m
	}
	var m message
	for i := range c.args {
		m.send, m.receive = append(m.send, i), append(m.receive, i)
	}
	return m
}

// messageName is a routine's name without MPI_.
func messageName(c invocation) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(c.name), "p"), "mpi_")
}

// begins tells whether a call begins persistent communication.
func begins(c invocation) bool {
	name := messageName(c)
	return name == "start" || name == "startall"
}

// persistent adds what persistent requests of the program receive into: which of them
// a call begins is not known.
func (m *memory) persistent(wrong stain) {
	for _, q := range m.prog.procs {
		for _, v := range q.flowGraph().vertices {
			for _, c := range q.effectsOf(v.exprs...).calls {
				name, made := strings.CutSuffix(messageName(c), "_init")
				if !made || !isMPI(c.name) {
					continue
				}
				for _, e := range q.memoryArgs(c, messages[name].receive) {
					if o := m.place(q, e); o != nil {
						wrong[o] = true
					}
				}
			}
		}
	}
}

// memoryArgs gives the expressions at some positions as the memory they lead
// to: in C what the pointer points to.
func (q *proc) memoryArgs(c invocation, positions []int) []*source.Expr {
	var list []*source.Expr
	for _, i := range positions {
		if i >= len(c.args) || c.args[i] == nil {
			continue
		}
		a := c.args[i]
		switch {
		case q.fortran():
			list = append(list, a)
		case a.Kind == source.Unary && a.Op == "&":
			list = append(list, a.Args[0])
		default:
			if p, _ := pointerSum(a); p != nil {
				list = append(list, &source.Expr{Kind: source.Unary, Op: "*", Args: []*source.Expr{p}, Place: a.Place})
			}
		}
	}
	return list
}
