package probe

import (
	"strings"

	"auspex/internal/lazyregexp"
)

// A rule says what to count in an MPI function. The text is C with
// placeholders for the function's arguments, numbered from 0 as the standard
// orders them: $1 an integer, $t2 a datatype, $c5 a communicator, $q6 a
// pointer to a request, $h0 a request itself, $v1 an array of integers, $w3 an array of datatypes,
// $b0 a buffer, $d3 a communicator made, $n7 a window, $m5 one made, $g0 a group, $o10 an
// operation, $s6 a status or NULL. before runs ahead
// of the call, after follows it, both only where the call is counted. Where
// Fortran must differ, it has its own.
type rule struct {
	before, after               string
	fortranBefore, fortranAfter string
}

// both is a rule that reads the same in C and Fortran.
func both(after string) rule { return rule{after: after, fortranAfter: after} }

// local are functions that neither communicate nor do I/O: too cheap to be
// worth a region.
var local = lazyregexp.New(`^(Type_|Group_|Info_|Op_|Error_|Add_error_|Remove_error_|Errhandler_|Attr_|Keyval_|` +
	`Status_|T_|Aint_|Grequest_|Session_|Pack|Unpack|Buffer_|Sizeof|Address$|Is_thread_main|Query_thread|Dims_create|` +
	`Get_(address|count|elements|version|library_version|processor_name|hw_resource_info)|` +
	`(Comm|Win|File)_(get_|create_keyval|free_keyval|delete_attr|create_errhandler|call_errhandler|set_(attr|name|info|errhandler|atomicity)|test_inter|remote_|rank|size|group|compare|f2c|c2f)|` +
	`Cart_(coords|rank|get|shift|map)|Cartdim_get|Graph_(get|map|neighbors)|Graphdims_get|Topo_test|Dist_graph_neighbors|` +
	`Initialized|Finalized|Pcontrol|Wtime|Wtick|Register_datarep|Test_cancelled|Alloc_mem|Free_mem|Status|` +
	`(Open|Close)_port|(Publish|Unpublish|Lookup)_name|.*_(FN|fn|f2c|c2f|f082c|c2f08|f082f|f2f08|fromint|toint)(_c)?$|Address)`)

const finalize = "auspex_header->ended = ticks(); if (auspex_tracing) traced(t, (struct event){T_FINALIZE, 0, 0, 0, 0, 0, 0, 0, 0}, NULL);"

const winFreed = "if (auspex_tracing) win_freed(t, $m0);"

// rules are what is counted of each function.
var rules = map[string]rule{
	"Init":            both("mpi_started();"),
	"Init_thread":     both("mpi_started();"),
	"Finalize":        {before: finalize, fortranBefore: finalize},
	"Win_free":        {before: winFreed, fortranBefore: winFreed},
	"Comm_free":       {before: "comm_freed($d0);", fortranBefore: "comm_freed($d0);"},
	"Comm_disconnect": {before: "comm_freed($d0);", fortranBefore: "comm_freed($d0);"},
	"Abort":           {before: "auspex_file_close(ABORTED, $1);", fortranBefore: "auspex_file_close(ABORTED, $1);"},

	"Send":  both("sent(t, $1, $t2, $3);"),
	"Isend": both("sent(t, $1, $t2, $3); if (auspex_tracing) request_new(t, $q6, SEND, $1, $t2, $3, $4, $c5);"),
	"Recv": {
		before:       "if (@6 == MPI_STATUS_IGNORE) @6 = &status_;",
		after:        "received(t, @6);",
		fortranAfter: "posted(t, $1, $t2, $3);",
	},
	"Irecv": both("request_new(t, $q6, RECEIVE, $1, $t2, $3, $4, $c5);"),
	"Mprobe": {
		before: "if (@4 == MPI_STATUS_IGNORE) @4 = &status_;",
		after:  "probed(*@3, $c2, @4);",
	},
	"Improbe": {
		before: "if (@5 == MPI_STATUS_IGNORE) @5 = &status_;",
		after:  "if (*@3) probed(*@4, $c2, @5);",
	},
	"Mrecv": {
		before:       "struct probed from_ = probed_as(*@3); if (@4 == MPI_STATUS_IGNORE) @4 = &status_;",
		after:        "received(t, @4); if (auspex_tracing) message_in(t, $1, $t2, from_.source, from_.tag, from_.comm, @4);",
		fortranAfter: "posted(t, $1, $t2, 0);",
	},
	"Imrecv": {
		before:       "struct probed from_ = probed_as(*@3);",
		after:        "request_new(t, $q4, RECEIVE, $1, $t2, from_.source, from_.tag, from_.comm);",
		fortranAfter: "request_new(t, $q4, RECEIVE, $1, $t2, 0, 0, MPI_COMM_NULL);",
	},
	"Send_init": both("request_new(t, $q6, SEND | PERSISTENT, $1, $t2, $3, $4, $c5);"),
	"Recv_init": both("request_new(t, $q6, RECEIVE | PERSISTENT, $1, $t2, $3, $4, $c5);"),
	"Sendrecv": {
		before:       "if (@11 == MPI_STATUS_IGNORE) @11 = &status_;",
		after:        "sent(t, $1, $t2, $3); received(t, @11);",
		fortranAfter: "sent(t, $1, $t2, $3); posted(t, $6, $t7, $8);",
	},
	"Sendrecv_replace": {
		before:       "if (@8 == MPI_STATUS_IGNORE) @8 = &status_;",
		after:        "sent(t, $1, $t2, $3); received(t, @8);",
		fortranAfter: "sent(t, $1, $t2, $3); posted(t, $1, $t2, $5);",
	},

	"Psend_init":   both("request_partitioned($q8, 1, $1, $2, $t3, $4, $5, $c6);"),
	"Precv_init":   both("request_partitioned($q8, 0, $1, $2, $t3, $4, $5, $c6);"),
	"Pready":       both("request_ready(t, $h1, 1);"),
	"Pready_range": both("request_ready(t, $h2, $1 - $0 + 1);"),
	"Pready_list":  both("request_ready(t, $h2, $0);"),

	"Start":              both("request_started(t, *$q0);"),
	"Startall":           both("for (int i = 0; i < $0; i++) request_started(t, $r1);"),
	"Request_free":       {before: "request_freed(t, *$q0);", fortranBefore: "request_freed(t, *$q0);"},
	"Cancel":             {before: "request_cancelled(*$q0);", fortranBefore: "request_cancelled(*$q0);"},
	"Request_get_status": {after: "if (*@1) request_seen(t, $h0);", fortranAfter: "if ($1) request_seen(t, $h0);"},
	"Wait": {
		before:        "MPI_Request request_ = *@0; if (@1 == MPI_STATUS_IGNORE) @1 = &status_;",
		after:         "completed(t, request_, @1);",
		fortranBefore: "MPI_Request request_ = *$q0;",
		fortranAfter:  "completed(t, request_, NULL);",
	},
	"Test": {
		before:        "MPI_Request request_ = *@0; if (@2 == MPI_STATUS_IGNORE) @2 = &status_;",
		after:         "if (*@1) completed(t, request_, @2);",
		fortranBefore: "MPI_Request request_ = *$q0;",
		fortranAfter:  "if ($1) completed(t, request_, NULL);",
	},
	"Waitall": {
		before:        "batch_open(&batch_, @0, @1, NULL, 1); if (@2 == MPI_STATUSES_IGNORE && batch_.statuses) @2 = batch_.statuses;",
		after:         "for (int i = 0; i < batch_.n; i++) batch_done(t, &batch_, i, @2 == MPI_STATUSES_IGNORE ? NULL : &@2[i]); batch_close(&batch_);",
		fortranBefore: "batch_open(&batch_, $0, NULL, @1, 0);",
		fortranAfter:  "for (int i = 0; i < batch_.n; i++) batch_done(t, &batch_, i, NULL); batch_close(&batch_);",
	},
	"Testall": {
		before:        "batch_open(&batch_, @0, @1, NULL, 1); if (@3 == MPI_STATUSES_IGNORE && batch_.statuses) @3 = batch_.statuses;",
		after:         "if (*@2) for (int i = 0; i < batch_.n; i++) batch_done(t, &batch_, i, @3 == MPI_STATUSES_IGNORE ? NULL : &@3[i]); batch_close(&batch_);",
		fortranBefore: "batch_open(&batch_, $0, NULL, @1, 0);",
		fortranAfter:  "if ($2) for (int i = 0; i < batch_.n; i++) batch_done(t, &batch_, i, NULL); batch_close(&batch_);",
	},
	"Waitany": {
		before:        "batch_open(&batch_, @0, @1, NULL, 0); if (@3 == MPI_STATUS_IGNORE) @3 = &status_;",
		after:         "batch_done(t, &batch_, *@2, @3); batch_close(&batch_);",
		fortranBefore: "batch_open(&batch_, $0, NULL, @1, 0);",
		fortranAfter:  "batch_done(t, &batch_, $2 - 1, NULL); batch_close(&batch_);",
	},
	"Testany": {
		before:        "batch_open(&batch_, @0, @1, NULL, 0); if (@4 == MPI_STATUS_IGNORE) @4 = &status_;",
		after:         "if (*@3) batch_done(t, &batch_, *@2, @4); batch_close(&batch_);",
		fortranBefore: "batch_open(&batch_, $0, NULL, @1, 0);",
		fortranAfter:  "if ($3) batch_done(t, &batch_, $2 - 1, NULL); batch_close(&batch_);",
	},
	"Waitsome": {
		before:        "batch_open(&batch_, @0, @1, NULL, 1); if (@4 == MPI_STATUSES_IGNORE && batch_.statuses) @4 = batch_.statuses;",
		after:         "for (int i = 0; i < *@2; i++) batch_done(t, &batch_, @3[i], @4 == MPI_STATUSES_IGNORE ? NULL : &@4[i]); batch_close(&batch_);",
		fortranBefore: "batch_open(&batch_, $0, NULL, @1, 0);",
		fortranAfter:  "for (int i = 0; i < $2; i++) batch_done(t, &batch_, $v3[i] - 1, NULL); batch_close(&batch_);",
	},
	"Testsome": {
		before:        "batch_open(&batch_, @0, @1, NULL, 1); if (@4 == MPI_STATUSES_IGNORE && batch_.statuses) @4 = batch_.statuses;",
		after:         "for (int i = 0; i < *@2; i++) batch_done(t, &batch_, @3[i], @4 == MPI_STATUSES_IGNORE ? NULL : &@4[i]); batch_close(&batch_);",
		fortranBefore: "batch_open(&batch_, $0, NULL, @1, 0);",
		fortranAfter:  "for (int i = 0; i < $2; i++) batch_done(t, &batch_, $v3[i] - 1, NULL); batch_close(&batch_);",
	},

	"Bcast":                both("collective(t, $1, $t2);"),
	"Reduce":               both("collective(t, $2, $t3);"),
	"Allreduce":            both("collective(t, $2, $t3);"),
	"Scan":                 both("collective(t, $2, $t3);"),
	"Exscan":               both("collective(t, $2, $t3);"),
	"Reduce_scatter_block": both("collective(t, (uint64_t)$2 * size_of_comm($c5), $t3);"),
	"Reduce_scatter":       both("for (int i = size_of_comm($c5); --i >= 0;) collective(t, $v2[i], $t3);"),
	"Gather":               inPlace("collective(t, $1, $t2);", ""),
	"Gatherv":              inPlace("collective(t, $1, $t2);", ""),
	"Scatter":              {after: "if ($b3 != MPI_IN_PLACE) collective(t, $4, $t5);", fortranAfter: "collective(t, $4, $t5);"},
	"Scatterv":             {after: "if ($b4 != MPI_IN_PLACE) collective(t, $5, $t6);", fortranAfter: "collective(t, $5, $t6);"},
	"Allgather":            inPlace("collective(t, $1, $t2);", "collective(t, $4, $t5);"),
	"Allgatherv":           inPlace("collective(t, $1, $t2);", ""),
	"Alltoall":             inPlace("collective(t, (uint64_t)$1 * size_of_comm($c6), $t2);", "collective(t, (uint64_t)$4 * size_of_comm($c6), $t5);"),
	"Alltoallv":            inPlace("for (int i = size_of_comm($c8); --i >= 0;) collective(t, $v1[i], $t3);", "for (int i = size_of_comm($c8); --i >= 0;) collective(t, $v5[i], $t7);"),
	"Alltoallw":            inPlace("for (int i = size_of_comm($c8); --i >= 0;) collective(t, $v1[i], $w3);", "for (int i = size_of_comm($c8); --i >= 0;) collective(t, $v5[i], $w7);"),

	"Put":         both("sent(t, $1, $t2, $3);"),
	"Accumulate":  both("sent(t, $1, $t2, $3);"),
	"Get":         both("posted(t, $1, $t2, $3);"),
	"Rput":        both("sent(t, $1, $t2, $3);"),
	"Raccumulate": both("sent(t, $1, $t2, $3);"),
	"Rget":        both("posted(t, $1, $t2, $3);"),
}

// inPlace counts what a rank hands to a collective, or where it hands nothing
// because the data is in the receive buffer already, that. From Fortran the
// constant cannot be told apart, and such calls pass a null type or nothing.
func inPlace(given, received string) rule {
	after := "if ($b0 != MPI_IN_PLACE) { " + given + " }"
	if received != "" {
		after += " else { " + received + " }"
	}
	return rule{after: after, fortranAfter: given}
}

var (
	sends     = lazyregexp.New(`^[BSR]send$`)
	isends    = lazyregexp.New(`^I[bsr]send$`)
	sendInits = lazyregexp.New(`^[BSR]send_init$`)
	fileMoves = lazyregexp.New(`^File_i?(read|write)(_at|_shared|_ordered)?(_all)?(_begin|_end)?$`)
)

// ruleFor finds the rule of a function: large-count and non-blocking forms
// count as the plain ones do.
func ruleFor(name string) rule {
	name = strings.TrimSuffix(name, "_c")
	switch {
	case sends.MatchString(name):
		return rules["Send"]
	case isends.MatchString(name):
		return rules["Isend"]
	case sendInits.MatchString(name):
		return rules["Send_init"]
	case strings.HasPrefix(name, "File_"):
		return fileRule(name)
	}
	if r, ok := rules[name]; ok {
		return r
	}
	if plain, ok := strings.CutPrefix(name, "I"); ok {
		plain = strings.ToUpper(plain[:1]) + plain[1:]
		if strings.HasPrefix(plain, "Sendrecv") {
			return rules["Send"] // what it receives goes uncounted
		}
		if r, ok := rules[plain]; ok {
			return r
		}
	}
	return rule{}
}

// fileRule counts bytes of reads and writes and the time of all file calls. A
// split call is counted where it begins.
func fileRule(name string) rule {
	m := fileMoves.FindStringSubmatch(name)
	if m == nil || m[4] == "_end" {
		return both("file_time(t);")
	}
	count := "file_read"
	if m[1] == "write" {
		count = "file_written"
	}
	place := "$2, $t3"
	if m[2] == "_at" {
		place = "$3, $t4"
	}
	return both("file_time(t); " + count + "(t, " + place + ");")
}
