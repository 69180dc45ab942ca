package instrument

import (
	"fmt"
	"strings"

	"auspex/source"
)

// ABI is what the inserted text and the measurement runtime share: the runtime
// defines these functions, the inserted text calls them. The Fortran entry
// points take one string, `name|file|line|kind`, and its length; the string
// may stand at several addresses, and equal strings mean the same region.
//
// To compilers these functions compute something from their arguments and touch no
// memory. Else nothing that a measured function does would be known where it is
// called: mafft's alignment loop, which has no probe and calls a function that has
// one, was laid out otherwise and took 5 % longer.
const ABI = `#ifndef AUSPEX_ABI
#define AUSPEX_ABI 1
struct auspex_region { const char *name, *file; int line, kind, id; volatile int off; };
#ifdef __OPTIMIZE__
#define AUSPEX_UNSEEN __attribute__((const))
#else
#define AUSPEX_UNSEEN
#endif
#ifndef __cplusplus
#define AUSPEX_NOTHROW
#elif __cplusplus >= 201103L
#define AUSPEX_NOTHROW noexcept
#else
#define AUSPEX_NOTHROW throw()
#endif
#ifdef __cplusplus
extern "C" {
#endif
int auspex_enter(struct auspex_region *) AUSPEX_NOTHROW AUSPEX_UNSEEN;
int auspex_leave(struct auspex_region *) AUSPEX_NOTHROW AUSPEX_UNSEEN;
int auspex_iterations(struct auspex_region *, unsigned long) AUSPEX_NOTHROW AUSPEX_UNSEEN;
#ifdef __cplusplus
}
#endif
#endif
`

// FortranABI declares what the runtime defines for Fortran, in C's terms.
const FortranABI = `void auspex_f_enter_(const char *spec, __SIZE_TYPE__ length);
void auspex_f_leave_(const char *spec, __SIZE_TYPE__ length);
void auspex_f_iterations_(const char *spec, const long long *n, __SIZE_TYPE__ length);
`

// The guards take a region's number and not its address: in a parallel region
// with default(none) a function may be named, a variable may not.
// They are always inlined. A region that the runtime has switched off costs a
// look at its flag, and one at the guard when it is left. Compilers are told that
// this is the rule: they then lay the code out as if there were no calls in it,
// and what a call of the runtime takes longer for being out of the way is nothing
// beside its looks at the clock.
// Iterations of innermost loops are counted in auspex_c, which compilers keep in a
// register there, or work out; the loop around adds it to auspex_n, which is
// volatile to take no register away from the loops inside. Counts stand apart from
// the guard, with constants to begin with, as C90 wants them. What the macros name
// is written out among the program's own macros, which may be called c or unused.
const guardsC = rarely + tell + `static __inline__ __attribute__((unused, always_inline)) struct auspex_region *auspex_open(int i)
{ struct auspex_region *r = &auspex_regions[i]; if (AUSPEX_RARELY(!r->off)) { AUSPEX_TELL(r, auspex_enter(r)); return &auspex_regions[i]; } return 0; }
static __inline__ __attribute__((unused, always_inline)) void auspex_close(struct auspex_region **g)
{ if (AUSPEX_RARELY(*g != 0)) AUSPEX_TELL(*g, auspex_leave(*g)); }
struct auspex_counts { volatile unsigned long auspex_n; unsigned long auspex_c; int i; };
static __inline__ __attribute__((unused, always_inline)) void auspex_count(struct auspex_counts *k)
{ unsigned long n = k->auspex_n + k->auspex_c; struct auspex_region *r = &auspex_regions[k->i]; if (n && !r->off) AUSPEX_TELL(r, auspex_iterations(r, n)); }
#define AUSPEX_R(i) struct auspex_region *auspex_g##i __attribute__((__cleanup__(auspex_close), __unused__)) = auspex_open(i)
#define AUSPEX_K(i) AUSPEX_R(i); struct auspex_counts auspex_k##i __attribute__((__cleanup__(auspex_count), __unused__)) = {0, 0, i}
`

// rarely marks what happens next to never, as gcc from 10 on and clang from 11 on
// can be told.
const rarely = `#if defined(__has_builtin) && !defined(AUSPEX_RARELY)
#if __has_builtin(__builtin_expect_with_probability)
#define AUSPEX_RARELY(x) __builtin_expect_with_probability(!!(x), 0, 0.999)
#endif
#endif
#ifndef AUSPEX_RARELY
#define AUSPEX_RARELY(x) __builtin_expect(!!(x), 0)
#endif
`

// tell calls the runtime with a region that compilers can neither know nor leave out:
// what is asked of an empty instruction may be anything, and what is told to one is
// needed. So each call, of what looks like the same function of the same value, is made
// where it stands.
const tell = `#ifndef AUSPEX_TELL
#ifdef __OPTIMIZE__
#define AUSPEX_OPAQUE(x) __asm__ __volatile__("" : "+r"(x))
#define AUSPEX_TELL(r, call) do { int auspex_told; AUSPEX_OPAQUE(r); auspex_told = call; AUSPEX_OPAQUE(auspex_told); } while (0)
#else
#define AUSPEX_TELL(r, call) call
#endif
#endif
`

const guardsCXX = rarely + tell + `namespace { struct auspex_guard { auspex_region *region;
__attribute__((always_inline)) explicit auspex_guard(int i) : region(0) { auspex_region *r = &auspex_regions[i]; if (AUSPEX_RARELY(!r->off)) { region = r; AUSPEX_TELL(r, auspex_enter(r)); } }
__attribute__((always_inline)) ~auspex_guard() { if (AUSPEX_RARELY(region != 0)) AUSPEX_TELL(region, auspex_leave(region)); } };
struct auspex_counts { volatile unsigned long auspex_n; unsigned long auspex_c; int i;
__attribute__((always_inline)) explicit auspex_counts(int number) : auspex_n(0), auspex_c(0), i(number) {}
__attribute__((always_inline)) ~auspex_counts() { unsigned long m = auspex_n + auspex_c; auspex_region *r = &auspex_regions[i]; if (m && !r->off) AUSPEX_TELL(r, auspex_iterations(r, m)); } }; }
#define AUSPEX_R(i) ::auspex_guard auspex_g##i(i)
#define AUSPEX_K(i) ::auspex_guard auspex_g##i(i); ::auspex_counts auspex_k##i(i)
`

// counting counts one iteration, of an innermost loop and of any other.
const counting = `#define AUSPEX_C(i) ++auspex_k##i.auspex_c
#define AUSPEX_N(i) auspex_k##i.auspex_n = auspex_k##i.auspex_n + auspex_k##i.auspex_c + 1, auspex_k##i.auspex_c = 0
`

// Kind is the sort of a region, as numbered in the descriptors.
type Kind int

// The sorts of regions.
const (
	FunctionRegion Kind = 1
	LoopRegion     Kind = 2
)

func (k Kind) String() string {
	if k == LoopRegion {
		return "loop"
	}
	return "function"
}

// MarshalText writes the name of the kind, for JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// prologue is everything put before a line, most often the first, of a C or C++ file:
// the types, the descriptors, and the directive that makes the line what it was. A file
// that includes itself has it once.
func prologue(f *source.File, name string, regions []Region, line int) string {
	var b strings.Builder
	b.WriteString("#line 1 \"auspex-regions.h\"\n#ifndef AUSPEX_REGIONS\n#define AUSPEX_REGIONS 1\n")
	b.WriteString(ABI)
	fmt.Fprintf(&b, "static struct auspex_region auspex_regions[%d] __attribute__((unused)) = {\n", len(regions))
	for _, r := range regions {
		fmt.Fprintf(&b, "{%s, %s, %d, %d, -1, 0},\n", quoteC(r.Name), quoteC(r.File), r.Line, r.Kind)
	}
	b.WriteString("};\n")
	if f.Language == source.CXX {
		b.WriteString(guardsCXX)
	} else {
		b.WriteString(guardsC)
	}
	b.WriteString(counting)
	fmt.Fprintf(&b, "#endif\n#line %d %s\n", line, quoteC(name))
	return b.String()
}

// FirstLine is the directive after which line 1 of a file follows.
func FirstLine(name string) string { return fmt.Sprintf("#line 1 %s\n", quoteC(name)) }

// quoteC writes a C string constant; bytes that are not plain become octal.
func quoteC(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
