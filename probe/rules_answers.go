package probe

import "strings"

// answered are the calls that a rank alone can be answered: what each receives, as text
// that lists its pieces, in the terms of rule. Those that do not block, and those to be
// started later, receive the same when they complete.
var answered = map[string]string{
	"Send": "", "Bsend": "", "Ssend": "", "Rsend": "", "Probe": "", "Iprobe": "", "Mprobe": "", "Improbe": "", "Barrier": "",
	"Recv":             "piece($b0, $1, $t2);",
	"Mrecv":            "piece($b0, $1, $t2);",
	"Sendrecv":         "if ($8 != MPI_PROC_NULL) piece($b5, $6, $t7);",
	"Sendrecv_replace": "if ($5 != MPI_PROC_NULL) piece($b0, $1, $t2);",

	"Bcast":                "if (from_root($3, $c4) && !rooted($3, $c4)) piece($b0, $1, $t2);",
	"Reduce":               "if (rooted($5, $c6)) piece($b1, $2, $t3);",
	"Allreduce":            "piece($b1, $2, $t3);",
	"Scan":                 "piece($b1, $2, $t3);",
	"Exscan":               "piece($b1, $2, $t3);",
	"Reduce_scatter_block": "piece($b1, $2, $t3);",
	"Reduce_scatter":       "piece($b1, $2[rank_in($c5)], $t3);",
	"Gather":               "if (rooted($6, $c7)) piece($b3, (MPI_Count)$4 * comm_ranks($c7), $t5);",
	"Gatherv":              "if (rooted($7, $c8)) for (int i = comm_ranks($c8); --i >= 0;) piece(place($b3, $5[i], $t6), $4[i], $t6);",
	"Scatter":              "if (from_root($6, $c7) && $b3 != MPI_IN_PLACE) piece($b3, $4, $t5);",
	"Scatterv":             "if (from_root($7, $c8) && $b4 != MPI_IN_PLACE) piece($b4, $5, $t6);",
	"Allgather":            "piece($b3, (MPI_Count)$4 * comm_ranks($c6), $t5);",
	"Allgatherv":           "for (int i = comm_ranks($c7); --i >= 0;) piece(place($b3, $5[i], $t6), $4[i], $t6);",
	"Alltoall":             "piece($b3, (MPI_Count)$4 * comm_ranks($c6), $t5);",
	"Alltoallv":            "for (int i = comm_ranks($c8); --i >= 0;) piece(place($b4, $6[i], $t7), $5[i], $t7);",
	"Alltoallw":            "for (int i = comm_ranks($c8); --i >= 0;) piece((const char *)$b4 + $6[i], $5[i], $7[i]);",
	"Neighbor_allgather":   "piece($b3, (MPI_Count)$4 * near_in($c6), $t5);",
	"Neighbor_allgatherv":  "for (int i = near_in($c7); --i >= 0;) piece(place($b3, $5[i], $t6), $4[i], $t6);",
	"Neighbor_alltoall":    "piece($b3, (MPI_Count)$4 * near_in($c6), $t5);",
	"Neighbor_alltoallv":   "for (int i = near_in($c8); --i >= 0;) piece(place($b4, $6[i], $t7), $5[i], $t7);",
	"Neighbor_alltoallw":   "for (int i = near_in($c8); --i >= 0;) piece((const char *)$b4 + $6[i], $5[i], $7[i]);",

	"Comm_dup": "", "Comm_dup_with_info": "", "Comm_idup": "", "Comm_idup_with_info": "", "Comm_split": "", "Comm_split_type": "",
	"Comm_create": "", "Comm_create_group": "", "Cart_create": "", "Cart_sub": "", "Graph_create": "", "Dist_graph_create": "",
	"Dist_graph_create_adjacent": "", "Intercomm_create": "", "Intercomm_merge": "",

	// Of a communicator's topology, which a rank alone does not have.
	"Cart_coords": "", "Cart_rank": "", "Cart_get": "", "Cart_shift": "", "Cart_map": "", "Cartdim_get": "", "Topo_test": "",
	"Graph_get": "", "Graph_map": "", "Graph_neighbors": "", "Graph_neighbors_count": "", "Graphdims_get": "",
	"Dist_graph_neighbors": "", "Dist_graph_neighbors_count": "",
}

// answeredLists are how long lists of integers are that a call fills, by the number of
// the argument.
var answeredLists = map[string]string{
	"Cart_coords": "$2", "Cart_get": "$1", "Graph_neighbors": "$2", "Graph_get 3": "$1", "Graph_get 4": "$2",
	"Dist_graph_neighbors 2": "$1", "Dist_graph_neighbors 3": "$1", "Dist_graph_neighbors 5": "$4", "Dist_graph_neighbors 6": "$4",
}

// byHand are those that runtime/answers.h answers itself.
var byHand = map[string]bool{
	"Init": true, "Init_thread": true, "Finalize": true, "Comm_free": true, "Comm_disconnect": true,
	"Start": true, "Startall": true, "Request_free": true, "Cancel": true, "Request_get_status": true,
	"Wait": true, "Test": true, "Waitall": true, "Testall": true, "Waitany": true, "Testany": true, "Waitsome": true, "Testsome": true,
	"Comm_rank": true, "Comm_size": true, "Comm_test_inter": true, "Comm_remote_size": true, "Comm_group": true, "Comm_remote_group": true, "Comm_compare": true,
}

// itself are calls that a rank alone makes as it is.
var itself = map[string]bool{"Abort": true, "Reduce_local": true}

// atRoot are calls some of whose arguments only the root need give.
var atRoot = map[string]bool{"Gather": true, "Gatherv": true, "Scatter": true, "Scatterv": true}

// base is the call that a call receives as, with how it completes: now, by a request, or
// by one that is started later.
func base(name string) (plain string, requests, later bool) {
	if _, ok := answered[name]; ok {
		return name, strings.HasPrefix(name, "Comm_idup"), false
	}
	if plain, ok := strings.CutSuffix(name, "_init"); ok {
		return plain, true, true
	}
	if plain, ok := strings.CutPrefix(name, "I"); ok && plain != "" {
		return strings.ToUpper(plain[:1]) + plain[1:], true, false
	}
	return name, false, false
}

// answerable tells calls that a record may hold.
func answerable(p prototype) bool {
	plain, _, _ := base(p.name)
	_, ok := answered[plain]
	return ok && p.prefix == "MPI"
}
