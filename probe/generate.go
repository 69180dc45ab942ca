package probe

import (
	"fmt"
	"strconv"
	"strings"

	"auspex/internal/lazyregexp"
)

var placeholder = lazyregexp.New(`([$@])([a-z]?)(\d+)`)

// generate writes the wrappers of all functions that a preprocessed mpi.h
// declares, but for the local ones: C, and the entry points of Fortran that do
// not pass through C's. Which those are differs: Open MPI's mpif.h, mpi and
// mpi_f08 all go round C; of MPICH's only mpi_f08 does. Where the runtime answers, its
// own functions are called in place of MPI's.
func generate(header string, answering bool) string {
	var b strings.Builder
	list := prototypes(header)
	through, call := fortranWrapper, ""
	if answering {
		b.WriteString(answers(list))
		through, call = throughC, "answer_"
	}
	for _, p := range list {
		if !local.MatchString(p.name) {
			cWrapper(&b, p, call)
		}
	}
	var fortran []prototype
	for _, p := range list {
		if inFortran(p) || answering && asksLocally(p) && !strings.HasSuffix(p.name, "_c") {
			fortran = append(fortran, p)
			through(&b, p)
		}
	}
	lower := func(p prototype) string { return "mpi_" + strings.ToLower(p.name) }
	b.WriteString("#ifdef OPEN_MPI\n")
	entryPoints(&b, fortran, func(p prototype) []string { return []string{lower(p) + "_", lower(p) + "_f08_"} })
	b.WriteString("#else\n")
	entryPoints(&b, fortran, func(p prototype) []string { return []string{lower(p) + "_f08ts_", lower(p) + "_f08_"} })
	for _, p := range fortran {
		noteCaller(&b, p, lower(p)+"_")
	}
	b.WriteString("#endif\n")
	return b.String()
}

// inFortran tells functions that Fortran has entry points of its own for.
func inFortran(p prototype) bool {
	return p.prefix == "MPI" && !local.MatchString(p.name) && !strings.HasSuffix(p.name, "_c")
}

// cWrapper writes what is measured of a function around a call of MPI's own, or of what
// is in its place.
func cWrapper(b *strings.Builder, p prototype, inPlace string) {
	r := ruleFor(p.name)
	before, after := fillC(r.before, p), fillC(r.after+tracing(p.name), p)
	fmt.Fprintf(b, "static struct auspex_region region_%[1]s = {\"%[2]s_%[1]s\", \"\", 0, MPI_CALL, -1};\n", p.name, p.prefix)
	fmt.Fprintf(b, "EXPORT int %s_%s(%s)\n{\n", p.prefix, p.name, p.declared())
	call := fmt.Sprintf("P%s_%s(%s)", p.prefix, p.name, p.passed())
	fmt.Fprintf(b, "    struct thread *t = MPI_ENTER(&region_%s);\n    if (!t)\n        return %s;\n", p.name, call)
	if inPlace != "" {
		call = fmt.Sprintf("%s%s(%s)", inPlace, p.name, p.passed())
		b.WriteString("    if (t->record.id != 0)\n        unanswerable(\"MPI from more threads than one\");\n")
	}
	locals(b, before+after)
	if before != "" {
		fmt.Fprintf(b, "    %s\n", before)
	}
	fmt.Fprintf(b, "    int result_ = %s;\n", call)
	if after != "" {
		fmt.Fprintf(b, "    if (result_ == MPI_SUCCESS) { %s }\n", after)
	}
	b.WriteString("    mpi_leave(t);\n    return result_;\n}\n")
}

// locals declares what the rule's text makes use of.
func locals(b *strings.Builder, text string) {
	if strings.Contains(text, "status_") {
		b.WriteString("    MPI_Status status_;\n")
	}
	if strings.Contains(text, "batch_") {
		b.WriteString("    struct batch batch_;\n")
	}
}

func fillC(text string, p prototype) string {
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		i, _ := strconv.Atoi(m[3])
		if i >= len(p.params) {
			return "0"
		}
		name := p.params[i].name
		switch m[2] {
		case "r", "w":
			return name + "[i]"
		case "d", "m":
			return "*" + name
		}
		return name
	})
}

// extra is how many arguments a Fortran entry point is passed beyond those of
// C: the error code and the hidden lengths of up to two strings. An argument
// that was never given is passed on as whatever stands in its place and read
// by nobody.
const extra = 3

// fortranWrapper writes what the entry points of one function share. All
// arguments come by reference, and handles are integers.
func fortranWrapper(b *strings.Builder, p prototype) {
	r := ruleFor(p.name)
	n := len(p.params) + extra
	before, after := fillFortran(r.fortranBefore, p), fillFortran(r.fortranAfter+tracing(p.name), p)
	fmt.Fprintf(b, "typedef void (*fortran_%s)(%s);\n", p.name, repeat(n, func(int) string { return "void *" }))
	fmt.Fprintf(b, "static void through_%[1]s(fortran_%[1]s real_, const void *from_, const void *frame_, %[2]s)\n{\n", p.name,
		repeat(n, func(i int) string { return fmt.Sprintf("void *a%d", i) }))
	fmt.Fprintf(b, "    struct thread *t = mpi_enter(&region_%s, from_, frame_);\n", p.name)
	call := "real_(" + repeat(n, func(i int) string { return fmt.Sprintf("a%d", i) }) + ");"
	fmt.Fprintf(b, "    if (!t) {\n        %s\n        return;\n    }\n", call)
	locals(b, before+after)
	for _, line := range []string{before, call, after} {
		if line != "" {
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
	b.WriteString("    mpi_leave(t);\n}\n")
}

func fillFortran(text string, p prototype) string {
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		at := "a" + m[3]
		if m[1] == "@" {
			return at
		}
		one := "*(MPI_Fint *)" + at
		switch m[2] {
		case "t":
			return "PMPI_Type_f2c(" + one + ")"
		case "s":
			return "NULL"
		case "c", "d":
			return "PMPI_Comm_f2c(" + one + ")"
		case "n", "m":
			return "PMPI_Win_f2c(" + one + ")"
		case "g":
			return "PMPI_Group_f2c(" + one + ")"
		case "o":
			return "PMPI_Op_f2c(" + one + ")"
		case "q":
			return "(MPI_Request[1]){PMPI_Request_f2c(" + one + ")}"
		case "h":
			return "PMPI_Request_f2c(" + one + ")"
		case "v":
			return "((MPI_Fint *)" + at + ")"
		case "r":
			return "PMPI_Request_f2c(((MPI_Fint *)" + at + ")[i])"
		case "w":
			return "PMPI_Type_f2c(((MPI_Fint *)" + at + ")[i])"
		case "b":
			return at
		}
		return "(" + one + ")"
	})
}

func entryPoints(b *strings.Builder, list []prototype, names func(prototype) []string) {
	for _, p := range list {
		n := len(p.params) + extra
		for _, name := range names(p) {
			fmt.Fprintf(b, "EXPORT void %[1]s(%[2]s);\nvoid %[1]s(%[2]s)\n{\n    static fortran_%[3]s real_;\n", name,
				repeat(n, func(i int) string { return fmt.Sprintf("void *a%d", i) }), p.name)
			fmt.Fprintf(b, "    if (!real_)\n        real_ = (fortran_%s)next_symbol(\"%s\");\n", p.name, name)
			fmt.Fprintf(b, "    through_%s(real_, __builtin_return_address(0), __builtin_frame_address(0), %s);\n}\n", p.name,
				repeat(n, func(i int) string { return fmt.Sprintf("a%d", i) }))
		}
	}
}

// noteCaller writes an entry point of Fortran that passes through C's, where it
// is counted: only the place it was called from would be lost there.
func noteCaller(b *strings.Builder, p prototype, name string) {
	n := len(p.params) + extra
	fmt.Fprintf(b, "EXPORT void %[1]s(%[2]s);\nvoid %[1]s(%[2]s)\n{\n    static fortran_%[3]s real_;\n", name,
		repeat(n, func(i int) string { return fmt.Sprintf("void *a%d", i) }), p.name)
	fmt.Fprintf(b, "    if (!real_)\n        real_ = (fortran_%s)next_symbol(\"%s\");\n", p.name, name)
	fmt.Fprintf(b, "    caller = __builtin_return_address(0);\n    real_(%s);\n    caller = NULL;\n}\n",
		repeat(n, func(i int) string { return fmt.Sprintf("a%d", i) }))
}

func repeat(n int, item func(int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = item(i)
	}
	return strings.Join(list, ", ")
}
