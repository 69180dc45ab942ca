package probe

import (
	"fmt"
	"strconv"
	"strings"

	"auspex/internal/lazyregexp"
)

// traces are what is recorded of each function where a trace is wanted, in the
// terms of rule. Non-blocking sends and receives, and waits, are recorded where
// they are counted.
var traces = map[string]string{
	"Send":              "message(t, T_SEND, $1, $t2, $3, $4, $c5);",
	"Recv":              "message_in(t, $1, $t2, $3, $4, $c5, $s6);",
	"Sendrecv":          "exchange(t, $1 * size_of($t2), $3, $4, $6 * size_of($t7), $8, $9, $c10, $s11);",
	"Sendrecv_replace":  "exchange(t, $1 * size_of($t2), $3, $4, $1 * size_of($t2), $5, $6, $c7, $s8);",
	"Isendrecv":         "begin_exchange(t, $q11, $1 * size_of($t2), $3, $4, $6 * size_of($t7), $8, $9, $c10);",
	"Isendrecv_replace": "begin_exchange(t, $q8, $1 * size_of($t2), $3, $4, $1 * size_of($t2), $5, $6, $c7);",

	"Barrier":              "together(t, T_BARRIER, 0, 0, 0, $c0);",
	"Bcast":                "together(t, T_BCAST, $3, $1 * size_of($t2), 0, $c4);",
	"Reduce":               "together(t, T_REDUCE, $5, $2 * size_of($t3), size_of($t3), $c6);",
	"Allreduce":            "together(t, T_ALLREDUCE, 0, $2 * size_of($t3), size_of($t3), $c5);",
	"Scan":                 "together(t, T_SCAN, 0, $2 * size_of($t3), 0, $c5);",
	"Exscan":               "together(t, T_EXSCAN, 0, $2 * size_of($t3), 0, $c5);",
	"Alltoall":             "together(t, T_ALLTOALL, 0, between($c6) ? $1 * size_of($t2) : $4 * size_of($t5), $4 * size_of($t5), $c6);",
	"Allgather":            "together(t, T_ALLGATHER, 0, between($c6) ? $1 * size_of($t2) : $4 * size_of($t5), $4 * size_of($t5), $c6);",
	"Gather":               "uint64_t b_ = at_root($6, $c7) ? $4 * size_of($t5) : $1 * size_of($t2); together(t, T_GATHER, $6, b_, b_, $c7);",
	"Scatter":              "uint64_t b_ = at_root($6, $c7) ? $1 * size_of($t2) : $4 * size_of($t5); together(t, T_SCATTER, $6, b_, b_, $c7);",
	"Gatherv":              lists("T_GATHERV", "$7", "$c8", "$1 * size_of($t2)", "0", "", "at_root($7, $c8) ? $v4[i] * size_of($t6) : 0"),
	"Allgatherv":           lists("T_ALLGATHERV", "0", "$c7", "$b0 == MPI_IN_PLACE ? 0 : $1 * size_of($t2)", "0", "", "$v4[i] * size_of($t6)"),
	"Scatterv":             lists("T_SCATTERV", "$7", "$c8", "0", "$5 * size_of($t6)", "at_root($7, $c8) ? $v1[i] * size_of($t3) : 0", ""),
	"Alltoallv":            lists("T_ALLTOALLV", "0", "$c8", "0", "0", "$b0 == MPI_IN_PLACE ? $v5[i] * size_of($t7) : $v1[i] * size_of($t3)", "$v5[i] * size_of($t7)"),
	"Alltoallw":            lists("T_ALLTOALLV", "0", "$c8", "0", "0", "$b0 == MPI_IN_PLACE ? $v5[i] * size_of($w7) : $v1[i] * size_of($w3)", "$v5[i] * size_of($w7)"),
	"Reduce_scatter":       lists("T_REDUCE_SCATTER", "0", "$c5", "0", "0", "$v2[i] * size_of($t3)", ""),
	"Reduce_scatter_block": lists("T_REDUCE_SCATTER", "0", "$c5", "0", "0", "$2 * size_of($t3)", ""),

	"Neighbor_allgather":  neighbours("$c6", "$4 * size_of($t5)", "$1 * size_of($t2)"),
	"Neighbor_allgatherv": neighbours("$c7", "$v4[i] * size_of($t6)", "$1 * size_of($t2)"),
	"Neighbor_alltoall":   neighbours("$c6", "$4 * size_of($t5)", "$1 * size_of($t2)"),
	"Neighbor_alltoallv":  neighbours("$c8", "$v5[i] * size_of($t7)", "$v1[i] * size_of($t3)"),
	"Neighbor_alltoallw":  neighbours("$c8", "$v5[i] * size_of($w7)", "$v1[i] * size_of($w3)"),

	"Win_create":          "win_made(t, $c4, $m5);",
	"Win_allocate":        "win_made(t, $c3, $m5);",
	"Win_allocate_shared": "win_made(t, $c3, $m5);",
	"Win_create_dynamic":  "win_made(t, $c1, $m2);",
	"Put":                 "put_there(t, $1 * size_of($t2), $3, $n7);",
	"Get":                 "get_there(t, $1 * size_of($t2), $3, $n7);",
	"Accumulate":          "put_there(t, $1 * size_of($t2), $3, $n8);",
	"Get_accumulate":      swapped + "$n11);",
	"Fetch_and_op":        "swap_there(t, size_of($t2), size_of($t2), $3, $n6);",
	"Compare_and_swap":    "swap_there(t, 2 * size_of($t3), size_of($t3), $4, $n6);",
	"Rput":                "put_there(t, $1 * size_of($t2), $3, $n7); request_there($q8, $3, $n7);",
	"Rget":                "get_there(t, $1 * size_of($t2), $3, $n7); request_there($q8, $3, $n7);",
	"Raccumulate":         "put_there(t, $1 * size_of($t2), $3, $n8); request_there($q9, $3, $n8);",
	"Rget_accumulate":     swapped + "$n11); request_there($q12, $6, $n11);",
	"Win_fence":           "fence_window(t, $n1);",
	"Win_post":            "win_post(t, $g0, $1, $n2);",
	"Win_start":           "win_start(t, $g0, $1, $n2);",
	"Win_complete":        "win_complete(t, $n0);",
	"Win_wait":            "win_wait(t, $n0);",
	"Win_test":            "if (*(int *)@1) win_wait(t, $n0);",
	"Win_lock":            "lock_window(t, $0, $1, $n3);",
	"Win_unlock":          "do_there(t, T_UNLOCK, 0, $0, 0, APART, $n1);",
	"Win_unlock_all":      "do_there(t, T_UNLOCK, 0, EVERYBODY, 0, APART, $n0);",
	"Win_flush":           "flush_window(t, $0, 0, $n1);",
	"Win_flush_all":       "flush_window(t, EVERYBODY, 0, $n0);",
	"Win_flush_local":     "flush_window(t, $0, LOCAL, $n1);",
	"Win_flush_local_all": "flush_window(t, EVERYBODY, LOCAL, $n0);",

	"Comm_idup":                  "comm_copied($c0, $d1); begun = $q2; together(t, T_BARRIER, 0, 0, 0, $c0); begun = NULL;",
	"Comm_idup_with_info":        "comm_copied($c0, $d2); begun = $q3; together(t, T_BARRIER, 0, 0, 0, $c0); begun = NULL;",
	"Comm_create_group":          "comm_abroad(t, $d3);",
	"Intercomm_create":           "comm_abroad(t, $d5);",
	"Intercomm_merge":            "comm_abroad(t, $d2);",
	"Comm_dup":                   "comm_made(t, $c0, $d1);",
	"Comm_dup_with_info":         "comm_made(t, $c0, $d2);",
	"Comm_split":                 "comm_made(t, $c0, $d3);",
	"Comm_split_type":            "comm_made(t, $c0, $d4);",
	"Comm_create":                "comm_made(t, $c0, $d2);",
	"Cart_create":                "comm_made(t, $c0, $d5);",
	"Cart_sub":                   "comm_made(t, $c0, $d2);",
	"Graph_create":               "comm_made(t, $c0, $d5);",
	"Dist_graph_create":          "comm_made(t, $c0, $d8);",
	"Dist_graph_create_adjacent": "comm_made(t, $c0, $d9);",
}

// swapped is what MPI_Get_accumulate moves: where it only fetches, what it would take
// there may be anything.
const swapped = "swap_there(t, $o10 == MPI_NO_OP ? 0 : $1 * size_of($t2), $4 * size_of($t5), $6, "

// lists records a collective in which each rank has its own size: what rank i
// is sent, and what it sends, are expressions of i.
func lists(kind, root, comm, out, in, sends, receives string) string {
	text := "int n_ = size_of_comm(" + comm + "); int64_t *l_ = lists_of(2 * n_); for (int i = 0; l_ && i < n_; i++) { "
	where := "0"
	if sends != "" {
		text += "l_[i] = (int64_t)(" + sends + "); "
		where = "n_"
	}
	if receives != "" {
		text += "l_[" + where + " + i] = (int64_t)(" + receives + "); "
	}
	long := func(s string) string {
		if s == "" {
			return "0"
		}
		return "n_"
	}
	return text + "} if (l_) with_lists(t, " + strings.Join([]string{kind, root, out, in, long(sends), long(receives), comm}, ", ") + ");"
}

// neighbours records a collective of the neighbours in a topology: what is received
// from the i-th source, and sent to the i-th destination, are expressions of i.
func neighbours(comm, receives, sends string) string {
	return "struct communicator *k_ = with_neighbours(" + comm + "); int64_t *l_ = k_ ? lists_of(k_->near->in + k_->near->out) : NULL; " +
		"for (int i = 0; l_ && i < k_->near->in; i++) l_[i] = (int64_t)(" + receives + "); " +
		"for (int i = 0; l_ && i < k_->near->out; i++) l_[k_->near->in + i] = (int64_t)(" + sends + "); " +
		"near_by(t, l_ ? k_ : NULL, l_);"
}

var communicator = lazyregexp.New(`\$c(\d+)`)

// unheard are functions that no event stands for: those of files. A replay takes them
// to last as long as they did.
var unheard = lazyregexp.New(`^File_`)

// asking are functions that look for messages, over and over in a program that waits by
// them: who has no core meanwhile is not kept from anything.
var asking = lazyregexp.New(`^(I|M|Im)?[Pp]robe$|^Test(all|any|some)?$|^Request_get_status|^Parrived$`)

// tracing is the text that records a call, empty where nothing is.
func tracing(name string) string {
	name = strings.TrimSuffix(name, "_c")
	text, ok := traces[name]
	if plain, nonblocking := strings.CutPrefix(name, "I"); !ok && nonblocking {
		text = begun(strings.ToUpper(plain[:1])+plain[1:], 1, "")
	}
	if plain, persistent := strings.CutSuffix(name, "_init"); !ok && persistent {
		text = begun(plain, 2, "begun_later = 1; ")
	}
	switch {
	case name == "Bsend" || name == "Bsend_c": // the buffer lets it go on at once
		text = strings.Replace(traces["Send"], "T_SEND", "T_ISEND", 1)
	case !ok && sends.MatchString(name):
		text = traces["Send"]
	}
	if text == "" && unheard.MatchString(name) {
		return " untold(t);"
	}
	if text == "" && asking.MatchString(name) {
		return " t->asking = 1;"
	}
	if text == "" {
		return ""
	}
	return " if (auspex_tracing) { " + text + " }"
}

// begun records a collective that does not block, by the text of the one that does;
// its request stands so many places after the communicator. Messages are recorded
// where they are counted.
func begun(plain string, after int, how string) string {
	text := traces[plain]
	m := communicator.FindStringSubmatch(text)
	if m == nil || strings.HasPrefix(plain, "Send") || plain == "Recv" || strings.HasPrefix(plain, "Comm") {
		return ""
	}
	n, _ := strconv.Atoi(m[1])
	return fmt.Sprintf("begun = $q%d; %s%s begun = NULL; begun_later = 0;", n+after, how, text)
}
