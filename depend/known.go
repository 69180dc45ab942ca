package depend

import (
	"slices"
	"strings"

	"auspex/source"
)

// Functions that compute a value from their arguments and touch nothing else.
var pureC = set(`sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2
log10 log1p pow sqrt cbrt hypot fabs abs labs llabs fmin fmax fmod remainder floor ceil round lround llround trunc
rint lrint llrint nearbyint copysign erf erfc tgamma fma fdim isnan isinf isfinite signbit min max
size_t int long float double static_cast unsigned char sizeof offsetof toupper tolower isdigit isalpha isspace`)

// Those of them that take many instructions.
var manyC = set(`sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p
pow cbrt hypot fmod remainder erf erfc tgamma`)

// Functions of C that read memory through their arguments and write none.
var readersC = set(`strlen strcmp strncmp memcmp strchr strrchr strstr atoi atol atoll atof`)

var pureFortran = set(`abs acos acosh aimag aint alog alog10 amax0 amax1 amin0 amin1 amod anint asin asinh atan
atan2 atanh bessel_j0 bessel_j1 btest ceiling char cmplx conjg cos cosh dabs dacos dasin datan datan2 dble dcmplx dconjg
dcos dcosh dexp dfloat dim dimag dint dlog dlog10 dmax1 dmin1 dmod dnint dot_product dprod dreal dsign dsin dsinh dsqrt dtan
dtanh epsilon erf erfc exp exponent float floor fraction gamma hypot huge iabs iachar iand ibclr ibits ibset ichar idim
idint idnint ieor ifix index int ior ishft ishftc isign kind lbound len len_trim lge lgt lle llt log log10 log_gamma logical
max max0 max1 maxval maxloc merge min min0 min1 minval minloc mod modulo nearest nint not precision product radix range
real reshape rrspacing scale selected_int_kind selected_real_kind set_exponent shape sign sin sinh size sngl spacing
spread sqrt sum tan tanh tiny transfer transpose trim ubound zabs zexp zsqrt all any count matmul pack unpack present
associated allocated adjustl adjustr repeat scan verify cabs ccos cexp clog csin csqrt shiftl shiftr leadz popcnt`)

// Those of them that take many instructions, or work on arrays.
var manyFortran = set(`acos acosh alog alog10 asin asinh atan atan2 atanh bessel_j0 bessel_j1 ccos cexp clog cos cosh csin
dacos dasin datan datan2 dcos dcosh dexp dlog dlog10 dsin dsinh dtan dtanh erf erfc exp gamma hypot log log10 log_gamma sin
sinh tan tanh zexp dot_product maxval maxloc minval minloc product reshape spread sum transpose matmul pack unpack all any
count repeat`)

// Methods of C++ containers that change nothing, and those of them that give
// a way to the elements.
var (
	looksCXX = set(`size empty length capacity data begin end cbegin cend c_str`)
	leadsCXX = set(`data begin end cbegin cend c_str`)
)

// Functions whose work is input, output or the clock.
var outside = set(`printf fprintf sprintf snprintf puts fputs putchar fputc fwrite fread fopen fclose fflush scanf
fscanf fgets getchar exit abort clock time gettimeofday clock_gettime rand srand random drand48 system_clock cpu_time
date_and_time random_number random_seed`)

var allocators = set(`malloc calloc realloc aligned_alloc valloc memalign fftw_malloc`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// isMPI tells the names of routines that communicate: MPI's, and P2PSAP's.
func isMPI(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "p2p_") || strings.HasPrefix(lower, "mpi_") || strings.HasPrefix(lower, "pmpi_") || strings.HasPrefix(lower, "mpi::")
}

// localMPI tells MPI's routines that take part in no communication.
func localMPI(name string) bool {
	switch strings.ToLower(name) {
	case "p2p_rank", "p2p_peers", "p2p_cluster", "p2p_error", "p2p_words", "p2p_count":
		return true
	}
	switch strings.TrimPrefix(strings.ToLower(name), "p") {
	case "mpi_wtime", "mpi_wtick", "mpi_comm_rank", "mpi_comm_size", "mpi_get_count", "mpi_type_size", "mpi_initialized",
		"mpi_abort":
		return true
	}
	return false
}

// pureName tells whether the language or its library promises that a call of
// this name has no effect. A procedure of the program hides it.
func (q *proc) pureName(name string) bool {
	if q.prog.named[name] != nil || q.lookup(name) != nil && !q.intrinsic(name) {
		return false
	}
	if q.fortran() {
		return pureFortran[name]
	}
	name = strings.TrimPrefix(name, "__builtin_") // left by the preprocessor
	if pureC[name] || readersC[name] || q.file.Language == source.CXX && looksCXX[name] {
		return true
	}
	if n := len(name); n > 1 && (name[n-1] == 'f' || name[n-1] == 'l') {
		return pureC[name[:n-1]]
	}
	return false
}

// costly tells whether a call of the language's library takes as long as tens of
// operations.
func (q *proc) costly(name string) bool {
	if !q.pureName(name) {
		return false
	}
	if q.fortran() {
		return manyFortran[name]
	}
	name = strings.TrimPrefix(name, "__builtin_")
	if manyC[name] || readersC[name] {
		return true
	}
	n := len(name)
	return n > 1 && !pureC[name] && manyC[name[:n-1]] // of another precision
}

// intrinsic tells whether a Fortran name is declared only to be the language's
// own function.
func (q *proc) intrinsic(name string) bool {
	if !q.fortran() {
		return false
	}
	found := false
	q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		if s.Kind == source.Declaration && !found {
			text := strings.ToLower(string(q.file.Text[s.Start:s.End]))
			found = strings.HasPrefix(text, "intrinsic") && slices.Contains(words(text), name)
		}
		return s.Kind != source.Declaration
	})
	return found
}

// ioStatement names the input or output a Fortran statement does, or "".
func ioStatement(s *source.Stmt) string {
	if s.Node == nil {
		return ""
	}
	switch s.Node.Kind {
	case "write_statement", "print_statement", "read_statement", "open_statement", "close_statement", "inquire_statement",
		"file_position_statement", "rewind_statement", "backspace_statement", "flush_statement":
		return strings.ToUpper(strings.TrimSuffix(s.Node.Kind, "_statement"))
	}
	return ""
}

// purity is what is known of a procedure's effects.
type purity struct {
	pure    bool
	why     string          // it is not, in words
	reads   map[string]bool // names outside it that it reads
	mpi     string          // an MPI routine it calls, itself or further down
	pending bool
}

// purity works out whether calling a procedure changes anything outside it.
func (q *proc) purity() *purity {
	if q.pure != nil {
		return q.pure
	}
	p := &purity{pure: true, reads: map[string]bool{}, pending: true}
	q.pure = p
	no := func(why string) {
		if p.pure {
			p.pure, p.why = false, why
		}
	}
	if !q.unit.Sound() || len(q.unit.Problems) > 0 {
		no("parts of it were not understood")
	}
	q.unit.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		if io := ioStatement(s); io != "" {
			no("it does " + io + " on line " + itoa(s.Line))
			return true
		}
		if s.Kind == source.Stop || s.Kind == source.Throw {
			no("it may end the program on line " + itoa(s.Line))
		}
		fx := q.effectsOf(q.file.Exprs(s)...)
		for _, e := range fx.opaque {
			no("line " + itoa(e.Line) + " of it is not understood")
		}
		for i := range fx.refs {
			r := &fx.refs[i]
			implicit := q.vars[r.root] == nil && q.own(r.root) // typed by its first letter
			own := q.local(r.root) || implicit || q.fortran() && r.root == lastPart(q.unit.Name)
			if r.read && !own {
				p.reads[r.root] = true
			}
			if !r.write {
				continue
			}
			v := q.vars[r.root]
			through := !q.fortran() && len(r.steps) > 0 && (v == nil || v.Pointer || v.Param && v.array())
			if !own || through {
				no("it writes " + r.shown() + " on line " + itoa(s.Line))
			}
		}
		for _, c := range fx.calls {
			switch callee := q.prog.named[c.name]; {
			case isMPI(c.name):
				if !localMPI(c.name) {
					p.mpi = c.name
				}
				no("it calls " + c.name + " on line " + itoa(c.expr.Line))
			case callee != nil:
				inner := callee.purity()
				if inner.mpi != "" && p.mpi == "" {
					p.mpi = inner.mpi
				}
				if inner.pending || !inner.pure {
					no("it calls " + c.name + " on line " + itoa(c.expr.Line))
				}
				for name := range inner.reads {
					p.reads[name] = true
				}
			case !q.pureName(c.name):
				no("it calls " + callName(c) + " on line " + itoa(c.expr.Line))
			}
		}
		return true
	})
	p.pending = false
	return p
}

func callName(c invocation) string {
	if c.name == "" {
		return "a function by pointer"
	}
	return c.name
}
