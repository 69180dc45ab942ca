package probe

import (
	"fmt"
	"strings"
)

// What the wrappers of a runtime that answers call in MPI's place, and how Fortran comes
// to them: as C, so that there is one way for both.

// answers writes a function for each of MPI's: it records, answers or refuses.
func answers(list []prototype) string {
	var b strings.Builder
	b.WriteString("static const char *const answered_names[] = {\"MPI_Wait\", \"MPI_Test\", \"MPI_Waitall\", \"MPI_Testall\", \"MPI_Waitany\", \"MPI_Testany\", \"MPI_Waitsome\", \"MPI_Testsome\", \"MPI_Request_get_status\"")
	for _, p := range list {
		if answerable(p) {
			fmt.Fprintf(&b, ", \"MPI_%s\"", p.name)
		}
	}
	b.WriteString("};\nstatic const char *answered_call(uint64_t call) { return call < sizeof answered_names / sizeof *answered_names ? answered_names[call] : \"none\"; }\n")
	number := 0
	for _, p := range list {
		switch {
		case byHand[p.name]:
		case answerable(p):
			answerFunction(&b, p, number)
			number++
		case !local.MatchString(p.name):
			refusal := fmt.Sprintf("unanswerable(\"%s_%s\"); ", p.prefix, p.name)
			if itself[p.name] {
				refusal = ""
			}
			fmt.Fprintf(&b, "static int answer_%[1]s(%[2]s) { %[3]sreturn P%[4]s_%[1]s(%[5]s); }\n", p.name, p.declared(), refusal, p.prefix, p.passed())
		}
	}
	for _, p := range list {
		if asksLocally(p) {
			fmt.Fprintf(&b, "EXPORT int MPI_%[1]s(%[2]s) { return answer_%[1]s(%[3]s); }\n", p.name, p.declared(), p.passed())
		}
	}
	return b.String()
}

// asksLocally tells calls that need no wrapper but where MPI's own answer is not that of
// the run with all ranks.
func asksLocally(p prototype) bool {
	return p.prefix == "MPI" && local.MatchString(p.name) && (byHand[p.name] || answerable(p))
}

func answerFunction(b *strings.Builder, p prototype, number int) {
	plain, requests, later := base(p.name)
	receives := plain == "Recv" || plain == "Mrecv" || strings.HasPrefix(plain, "Sendrecv")
	status := "NULL"
	call := fmt.Sprintf("PMPI_%s(%s)", p.name, p.passed())
	fmt.Fprintf(b, "static int answer_%s(%s)\n{\n", p.name, p.declared())
	for _, q := range p.params {
		if q.class() == "MPI_Status *" {
			status = q.name
			fmt.Fprintf(b, "    MPI_Status own_;\n    if (%[1]s == MPI_STATUS_IGNORE)\n        %[1]s = &own_;\n", q.name)
		}
	}
	fmt.Fprintf(b, "    if (!answers)\n        return %s;\n", call)
	fmt.Fprintf(b, "    int result_ = answers == RECORDING ? %s : 0;\n", call)
	fmt.Fprintf(b, "    result_ = answer_begin(COMPLETIONS + %d, %s, result_);\n", number, arguments(p, plain))
	b.WriteString("    if (result_ == MPI_SUCCESS) {\n")
	for i, q := range p.params {
		if text := answerValue(p, i, q); text != "" {
			fmt.Fprintf(b, "        %s\n", text)
		}
	}
	fmt.Fprintf(b, "        piece_count = 0;\n        %s\n", fillC(answered[plain], p))
	if requests {
		fmt.Fprintf(b, "        answer_request(%s, %d, %d);\n", p.params[len(p.params)-1].name, truth(later), truth(receives))
	} else {
		fmt.Fprintf(b, "        answer_pieces(pieces, piece_count, %s);\n", map[bool]string{true: status, false: "NULL"}[receives])
	}
	b.WriteString("    }\n    answer_end();\n    return result_;\n}\n")
}

func truth(t bool) int {
	if t {
		return 1
	}
	return 0
}

// arguments are the numbers that a call is given, by which it is told from another.
func arguments(p prototype, plain string) string {
	if atRoot[plain] {
		return "0"
	}
	var names []string
	for _, q := range p.params {
		switch q.class() {
		case "int", "MPI_Count", "MPI_Aint":
			names = append(names, q.name)
		}
	}
	if len(names) == 0 {
		return "0"
	}
	return fmt.Sprintf("given((int64_t[]){%s}, %d)", strings.Join(names, ", "), len(names))
}

// answerValue is how a value comes into the record, or out of it, that a call gives.
func answerValue(p prototype, i int, q param) string {
	if length, ok := answeredLists[p.name]; ok && q.class() == "int []" {
		return fmt.Sprintf("value(%s, sizeof(int) * (size_t)%s);", q.name, fillC(length, p))
	}
	if length, ok := answeredLists[fmt.Sprintf("%s %d", p.name, i)]; ok {
		return fmt.Sprintf("if (%[1]s != MPI_UNWEIGHTED) value(%[1]s, sizeof(int) * (size_t)%[2]s);", q.name, fillC(length, p))
	}
	switch q.class() {
	case "int *":
		return fmt.Sprintf("value(%[1]s, sizeof *%[1]s);", q.name)
	case "MPI_Status *":
		return ifFound(p) + fmt.Sprintf("value(%[1]s, sizeof *%[1]s);", q.name)
	case "MPI_Comm *":
		return fmt.Sprintf("answer_comm(%s, %s);", q.name, p.params[0].name)
	case "MPI_Message *":
		return ifFound(p) + fmt.Sprintf("answer_message(%s);", q.name)
	}
	return ""
}

// ifFound keeps to a probe that may have found nothing.
func ifFound(p prototype) string {
	if p.name == "Iprobe" || p.name == "Improbe" {
		return "if (*" + p.params[3].name + ") "
	}
	return ""
}

// class is the type of a parameter: "int", "const int []", "MPI_Comm *".
func (q param) class() string {
	text := strings.TrimSpace(q.text)
	m := lastName.FindStringSubmatchIndex(text)
	if m == nil || text[m[2]:m[3]] != q.name {
		return text
	}
	class := strings.TrimSpace(text[:m[2]])
	if m[4] != m[5] {
		class += " []"
	}
	return strings.ReplaceAll(class, "* ", "*")
}

// ---- Fortran ----

// throughC writes what the entry points of one function share in a runtime that
// answers: they make C's call.
func throughC(b *strings.Builder, p prototype) {
	n := len(p.params) + extra
	fmt.Fprintf(b, "typedef void (*fortran_%s)(%s);\n", p.name, repeat(n, func(int) string { return "void *" }))
	fmt.Fprintf(b, "static void through_%[1]s(fortran_%[1]s real_, const void *from_, const void *frame_, %[2]s)\n{\n", p.name,
		repeat(n, func(i int) string { return fmt.Sprintf("void *a%d", i) }))
	refused := fmt.Sprintf("    real_(%s);\n    return;\n", repeat(n, func(i int) string { return fmt.Sprintf("a%d", i) }))
	fmt.Fprintf(b, "    (void)frame_;\n#ifndef OPEN_MPI\n    unanswerable(\"MPI by way of mpi_f08\");\n%s#endif\n", refused)
	var passed, before, after []string
	error := fmt.Sprintf("a%d", len(p.params))
	switch p.name {
	case "Init":
		passed, error = []string{"NULL", "NULL"}, "a0"
	case "Init_thread":
		passed, error = []string{"NULL", "NULL", "*(int *)a0", "(int *)a1"}, "a2"
	default:
		for i, q := range p.params {
			c := fortranArgument(p, i, q)
			if c.passed == "" {
				fmt.Fprintf(b, "    unanswerable(\"MPI_%s from Fortran\");\n%s}\n", p.name, refused)
				return
			}
			before, after, passed = append(before, c.before), append(after, c.after), append(passed, c.passed)
		}
	}
	for _, text := range before {
		if text != "" {
			fmt.Fprintf(b, "    %s\n", text)
		}
	}
	fmt.Fprintf(b, "    caller = from_;\n    int result_ = MPI_%s(%s);\n    caller = NULL;\n", p.name, strings.Join(passed, ", "))
	for _, text := range after {
		if text != "" {
			fmt.Fprintf(b, "    %s\n", text)
		}
	}
	fmt.Fprintf(b, "    if (%[1]s)\n        *(MPI_Fint *)%[1]s = result_;\n}\n", error)
}

// converted is an argument of Fortran's as C's.
type converted struct{ before, passed, after string }

// handles are MPI's types of handles, as the functions that convert them name them.
var handles = map[string]string{"MPI_Comm": "Comm", "MPI_Datatype": "Type", "MPI_Op": "Op", "MPI_Group": "Group", "MPI_Info": "Info", "MPI_Request": "Request"}

func fortranArgument(p prototype, i int, q param) converted {
	class, a := q.class(), fmt.Sprintf("a%d", i)
	if h, ok := handles[class]; ok {
		return converted{passed: fmt.Sprintf("PMPI_%s_f2c(*(MPI_Fint *)%s)", h, a)}
	}
	if handle, ok := strings.CutSuffix(class, " *"); ok && handles[handle] != "" {
		h := handles[handle]
		return converted{
			before: fmt.Sprintf("%[1]s c%[2]d = PMPI_%[3]s_f2c(*(MPI_Fint *)%[4]s);", handle, i, h, a),
			passed: fmt.Sprintf("&c%d", i),
			after:  fmt.Sprintf("*(MPI_Fint *)%[1]s = PMPI_%[2]s_c2f(c%[3]d);", a, h, i),
		}
	}
	many := "*(int *)a0"
	if class == "MPI_Status *" && strings.HasPrefix(q.name, "array") { // which some headers declare so
		class = "MPI_Status []"
	}
	switch class {
	case "int":
		return converted{passed: "*(int *)" + a}
	case "MPI_Aint", "MPI_Count":
		return converted{passed: fmt.Sprintf("*(%s *)%s", class, a)}
	case "int *", "int []", "const int []", "const int *":
		return converted{passed: "(int *)" + a, after: fromOne(p, i, a)}
	case "const MPI_Aint []":
		return converted{passed: "(MPI_Aint *)" + a}
	case "void *", "const void *":
		return converted{passed: "fortran_buffer(" + a + ")"}
	case "MPI_Status *":
		return converted{
			before: fmt.Sprintf("MPI_Status c%d = {0};", i),
			passed: fmt.Sprintf("fortran_ignores(%[1]s) ? MPI_STATUS_IGNORE : &c%[2]d", a, i),
			after:  fmt.Sprintf("if (!fortran_ignores(%[1]s)) PMPI_Status_c2f(&c%[2]d, (MPI_Fint *)%[1]s);", a, i),
		}
	case "MPI_Status []":
		return converted{
			before: fmt.Sprintf("MPI_Status *c%d = fortran_ignores(%s) ? MPI_STATUSES_IGNORE : calloc((size_t)%s + 1, sizeof *c%d);", i, a, many, i),
			passed: fmt.Sprintf("c%d", i),
			after:  fmt.Sprintf("if (!fortran_ignores(%[1]s)) { for (int i = 0; i < %[2]s; i++) PMPI_Status_c2f(&c%[3]d[i], (MPI_Fint *)%[1]s + i * sizeof(MPI_Status) / sizeof(MPI_Fint)); free(c%[3]d); }", a, many, i),
		}
	case "MPI_Request []":
		return converted{
			before: fmt.Sprintf("MPI_Request *c%[1]d = malloc(((size_t)%[2]s + 1) * sizeof *c%[1]d); for (int i = 0; i < %[2]s; i++) c%[1]d[i] = PMPI_Request_f2c(((MPI_Fint *)%[3]s)[i]);", i, many, a),
			passed: fmt.Sprintf("c%d", i),
			after:  fmt.Sprintf("for (int i = 0; i < %[2]s; i++) ((MPI_Fint *)%[3]s)[i] = PMPI_Request_c2f(c%[1]d[i]); free(c%[1]d);", i, many, a),
		}
	case "const MPI_Datatype []":
		n := "comm_ranks(PMPI_Comm_f2c(*(MPI_Fint *)a8))"
		return converted{
			before: fmt.Sprintf("int n%[1]d = %[2]s; MPI_Datatype *c%[1]d = malloc(((size_t)n%[1]d + 1) * sizeof *c%[1]d); for (int i = 0; i < n%[1]d; i++) c%[1]d[i] = PMPI_Type_f2c(((MPI_Fint *)%[3]s)[i]);", i, n, a),
			passed: fmt.Sprintf("c%d", i),
			after:  fmt.Sprintf("free(c%d);", i),
		}
	}
	return converted{}
}

// fromOne turns the places of requests in a list into Fortran's, which counts from one.
func fromOne(p prototype, i int, a string) string {
	switch {
	case (p.name == "Waitany" || p.name == "Testany") && i == 2:
		return fmt.Sprintf("if (*(int *)%[1]s != MPI_UNDEFINED) ++*(int *)%[1]s;", a)
	case (p.name == "Waitsome" || p.name == "Testsome") && i == 3:
		return fmt.Sprintf("for (int i = 0; *(int *)a2 != MPI_UNDEFINED && i < *(int *)a2; i++) ((int *)%s)[i]++;", a)
	}
	return ""
}
