package pop

// Factors are the efficiencies of one run; nil where something was not measured.
type Factors struct {
	Name          string   `json:"name"`
	Ranks         int      `json:"ranks"`
	Units         int      `json:"units"` // ranks, or their threads where those were measured
	RunSeconds    *float64 `json:"run_seconds"`
	Ideal         *float64 `json:"ideal_run_seconds"`
	UsefulMax     *float64 `json:"useful_seconds_max"`
	Speedup       *float64 `json:"speedup"`
	Efficiency    *float64 `json:"efficiency"` // speedup / how many times as many ranks
	Parallel      *float64 `json:"parallel"`
	LoadBalance   *float64 `json:"load_balance"`
	Communication *float64 `json:"communication"`
	Serialization *float64 `json:"serialization"`
	Transfer      *float64 `json:"transfer"`
	// StartEnd is a part of transfer, which POP counts to the messages' cost: the
	// share of the run time that starting and ending leave.
	StartEnd *float64 `json:"start_end,omitempty"`
	// Cores is another part of transfer: the share that ranks leave of the rest by
	// standing within MPI without a core.
	Cores       *float64 `json:"cores,omitempty"`
	Computation *float64 `json:"computation_scalability"`
	IPC         *float64 `json:"ipc_scalability"`
	Instruction *float64 `json:"instruction_scalability"`
	Frequency   *float64 `json:"frequency_scalability"`
	Global      *float64 `json:"global"`
	// MPI and OpenMP are the two parts of parallel where ranks have threads:
	// parallel = mpi_parallel × openmp_parallel, and each is its own load balance
	// × communication. Serialization × transfer is then mpi_communication.
	MPI                 *float64 `json:"mpi_parallel,omitempty"`
	MPILoadBalance      *float64 `json:"mpi_load_balance,omitempty"`
	MPICommunication    *float64 `json:"mpi_communication,omitempty"`
	OpenMP              *float64 `json:"openmp_parallel,omitempty"`
	OpenMPLoadBalance   *float64 `json:"openmp_load_balance,omitempty"`
	OpenMPCommunication *float64 `json:"openmp_communication,omitempty"`
	// Notes are what could not be told, and why.
	Notes []string `json:"notes"`
}

func ratio(a, b float64) *float64 {
	if !(a > 0) || !(b > 0) {
		return nil
	}
	v := a / b
	return &v
}

func times(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	v := *a * *b
	return &v
}

func over(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	return ratio(*a, *b)
}

// positive is a figure, nothing where it was not measured.
func positive(v float64) *float64 {
	if !(v > 0) {
		return nil
	}
	return &v
}

// Of returns the factors of one run.
func Of(r Run) Factors {
	f := Factors{Name: r.Name, Ranks: r.Ranks, Units: r.Units, RunSeconds: positive(r.Seconds), Ideal: positive(r.Ideal), UsefulMax: positive(greatest(r.Useful)), Notes: append([]string{}, r.Notes...)}
	most := greatest(r.Useful)
	f.LoadBalance = ratio(sum(r.Useful)/float64(max(len(r.Useful), 1)), most)
	f.Communication = ratio(most, r.Seconds)
	if r.Ends > 0 {
		f.StartEnd = ratio(r.Seconds-r.Ends, r.Seconds)
	}
	if between := r.Seconds - r.Ends; r.NoCore > 0 {
		f.Cores = ratio(max(between-r.NoCore, r.Ideal), between)
	}
	f.Parallel = times(f.LoadBalance, f.Communication)
	mpi := f.Communication
	if len(r.MPIUseful) > 0 {
		// Hybrid, multiplicatively: what MPI alone would leave, as if all a rank
		// did outside of MPI were useful, and what threads lose within that.
		outside := greatest(r.MPIUseful)
		f.MPILoadBalance = ratio(sum(r.MPIUseful)/float64(len(r.MPIUseful)), outside)
		f.MPICommunication = ratio(outside, r.Seconds)
		f.MPI = times(f.MPILoadBalance, f.MPICommunication)
		f.OpenMP = over(f.Parallel, f.MPI)
		f.OpenMPLoadBalance = over(f.LoadBalance, f.MPILoadBalance)
		f.OpenMPCommunication = over(f.Communication, f.MPICommunication)
		mpi = f.MPICommunication
	}
	if r.Ideal > 0 {
		f.Serialization = ratio(r.IdealUseful, r.Ideal)
		f.Transfer = over(mpi, f.Serialization)
	}
	return f
}

// Kind is how a series of runs grows.
type Kind string

const (
	Strong Kind = "strong" // the same work on more ranks
	Weak   Kind = "weak"   // work that grows with the ranks
)

// weakFrom is the mean growth of work over growth of ranks above which scaling
// is weak, as BSC's modelfactors has it.
const weakFrom = 0.9

// KindOf tells whether the runs' work grows with their ranks: by instructions
// where they were counted, else by useful time.
func KindOf(runs []Run) Kind {
	work := func(r Run) float64 { return sum(r.Useful) }
	if len(runs) > 0 && runs[0].Instructions > 0 {
		work = func(r Run) float64 { return r.Instructions }
	}
	total, n := 0.0, 0
	for _, r := range runs[min(1, len(runs)):] {
		if first := runs[0]; r.Units != first.Units && work(first) > 0 {
			total += work(r) / work(first) / (float64(r.Units) / float64(first.Units))
			n++
		}
	}
	if n > 0 && total/float64(n) > weakFrom {
		return Weak
	}
	return Strong
}

// Scale returns the factors of several runs, with the first as the reference of
// those that compare.
func Scale(runs []Run) (Kind, []Factors) {
	kind := KindOf(runs)
	var out []Factors
	for _, r := range runs {
		f := Of(r)
		ref := runs[0]
		growth := float64(r.Units) / float64(max(ref.Units, 1))
		work := 1.0 // how much work there should be
		if kind == Weak {
			work = growth
		}
		f.Computation = ratio(work*sum(ref.Useful), sum(r.Useful))
		f.Instruction = ratio(work*ref.Instructions, r.Instructions)
		f.IPC = over(ratio(r.Instructions, r.Cycles), ratio(ref.Instructions, ref.Cycles))
		f.Frequency = over(ratio(r.Cycles, sum(r.Useful)), ratio(ref.Cycles, sum(ref.Useful)))
		f.Global = times(f.Parallel, f.Computation)
		if f.Speedup = ratio(work*ref.Seconds, r.Seconds); f.Speedup != nil {
			f.Efficiency = ratio(*f.Speedup, growth)
		}
		out = append(out, f)
	}
	return kind, out
}
