package launch

import "testing"

func TestLastName(t *testing.T) {
	for name, want := range map[string]string{
		"relax":                                  "relax",
		"field::relax":                           "relax",
		"field::grid<double, 4>::relax":          "relax",
		"field::grid<a::b<c::d>>::relax<e::f>":   "relax",
		"basin::sweep":                           "sweep",
		"v::operator<":                           "operator<",
		"v<int>::operator()":                     "operator()",
		"operator<<":                             "operator<<",
		"<lambda>":                               "<lambda>",
		"run<double, 2>(int)::{lambda}":          "{lambda}",
		"fem::Hexahedron<double, 2>::add":        "add",
		"cooperator":                             "cooperator",
		"std::vector<int, std::allocator<int> >": "vector",
	} {
		if got := lastName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestOfProbe(t *testing.T) {
	for name, want := range map[string]bool{"auspex_enter": true, "auspex_guard::auspex_guard": true, "~auspex_counts": true, "~grid": false, "solve": false} {
		if got := ofProbe(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
