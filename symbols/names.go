package symbols

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// longName is beyond which the arguments of templates are left out.
const longName = 120

// Name is a linker's symbol as the source has it: C++ and Rust names without
// parameters, module::procedure for gfortran's __module_MOD_procedure, and
// function#0 for the body of a parallel region that gcc calls
// function._omp_fn.0.
func Name(symbol string) string {
	symbol, number, parallel := strings.Cut(symbol, "._omp_fn.")
	symbol, _, _ = strings.Cut(symbol, "@")
	name := demangled(symbol)
	if inside, ok := strings.CutPrefix(name, "__"); ok {
		if module, procedure, ok := strings.Cut(inside, "_MOD_"); ok {
			name = module + "::" + procedure
		}
	}
	if parallel {
		name += "#" + number
	}
	return name
}

// OfTeam tells whether a name is that of the body of a parallel region. In
// f::{lambda()#1} the number is of something else.
func OfTeam(name string) bool {
	_, number, ok := strings.Cut(name[max(0, strings.LastIndexByte(name, '}')):], "#")
	return ok && number != "" && number[0] >= '0' && number[0] <= '9' || strings.Contains(name, ".omp_outlined") || strings.Contains(name, ".omp_task_entry")
}

func demangled(symbol string) string {
	plain := symbol
	if strings.HasPrefix(symbol, "_Z") || strings.HasPrefix(symbol, "_R") {
		// What gcc makes of a function by itself: f.part.0, f.cold, f.constprop.0.
		plain, _, _ = strings.Cut(symbol, ".")
	} else {
		for _, made := range []string{".part.", ".cold", ".constprop.", ".isra.", ".lto_priv."} {
			plain, _, _ = strings.Cut(plain, made)
		}
		return plain
	}
	name, err := demangle.ToString(plain, demangle.NoParams, demangle.NoClones)
	if err != nil {
		return symbol
	}
	if len(name) > longName {
		if short, err := demangle.ToString(plain, demangle.NoParams, demangle.NoTemplateParams, demangle.NoClones); err == nil {
			name = short
		}
	}
	return name
}
