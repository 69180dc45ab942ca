package analyze

import (
	"slices"

	"auspex/account"
	"auspex/model"
)

// Ledgers are the accounts of a run: one for each type of units, that of the
// processes or threads first.
func (d *Dataset) Ledgers() ([]*account.Ledger, error) { return d.ledgersOnce() }

// accountInput is what the ledgers are drawn from, of all units.
func (d *Dataset) accountInput() (*Times, account.Input, error) {
	t, err := d.Times()
	if err != nil {
		return nil, account.Input{}, err
	}
	in := account.Input{Classes: d.Classes, Paths: d.Paths, Run: t.Runtime, Cores: d.cores()}
	for u, role := range t.alike.roles {
		in.Helper = append(in.Helper, role != Main || t.alike.types[u] == StreamUnit)
	}
	if d.BlockedApart {
		in.Blocked = make([]bool, len(d.Regions))
		for r, region := range d.Regions {
			in.Blocked[r] = region.Name == model.Blocked
		}
	}
	if in.Samples, in.Stretches, err = d.samples(); err != nil {
		return nil, in, err
	}
	if in.Wall, err = d.Matrix(t.Metric + ".exc"); err != nil {
		return nil, in, err
	}
	for name, to := range map[string]*model.Matrix{model.CPUTime + ".exc": &in.CPU, model.IOTime + ".exc": &in.InOut, model.Calls: &in.Calls, model.BytesSent: &in.Bytes} {
		if t.Metric != model.WallTime && name != model.Calls && name != model.BytesSent || !d.Has(name) {
			continue
		}
		if *to, err = d.Matrix(name); err != nil {
			return nil, in, err
		}
	}
	return t, in, nil
}

// samples are those by which times were shared out, and for each region the one around
// it, or itself, whose time with all in it was measured: such are called a counted
// number of times. No data where there are none.
func (d *Dataset) samples() (model.Matrix, []int, error) {
	const column = model.Samples + ".exc"
	if !d.Has(column) {
		return model.Matrix{}, nil, nil
	}
	looks, err := d.Matrix(column)
	if err != nil {
		return looks, nil, err
	}
	var calls model.Matrix
	if d.Has(model.Calls) {
		if calls, err = d.Matrix(model.Calls); err != nil {
			return looks, nil, err
		}
	}
	from := make([]int, len(d.Regions))
	for r, region := range d.Regions { // parents come first
		from[r] = -1
		if region.Parent != model.NoParent {
			from[r] = from[region.Parent]
		}
		for u := 0; u < calls.Units && from[r] != r; u++ {
			if calls.At(u, r) > 0 {
				from[r] = r
			}
		}
	}
	return looks, from, nil
}

// Work is what units may have to wait for, by unit and region: CPU time, all
// time of input and output, and time in which a unit was blocked.
func (d *Dataset) Work() (model.Matrix, error) {
	_, in, err := d.accountInput()
	if err != nil {
		return model.Matrix{}, err
	}
	return in.Work(), nil
}

func (d *Dataset) drawLedgers() ([]*account.Ledger, error) {
	t, whole, err := d.accountInput()
	if err != nil {
		return nil, err
	}
	alike := t.alike
	whole.Groups, whole.Paths, whole.ByName = d.groups(whole.Wall, whole.Calls, alike.types)
	var out []*account.Ledger
	for _, kind := range []UnitType{ProcessUnit, ThreadUnit, StreamUnit} {
		var which []int
		for u, of := range alike.types {
			if of == kind {
				which = append(which, u)
			}
		}
		if len(which) == 0 {
			continue
		}
		in := whole
		in.Type, in.Helper = string(kind), nil
		if len(which) < len(d.Units) {
			for _, m := range []*model.Matrix{&in.Wall, &in.CPU, &in.InOut, &in.Calls, &in.Bytes, &in.Samples} {
				*m = pickRows(*m, which)
			}
		}
		for _, u := range which {
			role := int(alike.roles[u])
			if kind == StreamUnit {
				role = d.Units[u].Thread // other streams have other work
			}
			in.Roles = append(in.Roles, role)
			in.Helper = append(in.Helper, whole.Helper[u])
			in.Totals = append(in.Totals, t.Total[u])
			if kind == ThreadUnit {
				in.Process = append(in.Process, d.Units[u].Process)
			}
		}
		if kind == StreamUnit {
			in.Cores = 0
		}
		l, err := account.Draw(in)
		if err != nil {
			return nil, err
		}
		for i := range l.Spreads {
			l.Spreads[i].Slowest = which[l.Spreads[i].Slowest]
		}
		for i := range l.Idle {
			l.Idle[i] = which[l.Idle[i]]
		}
		out = append(out, l)
	}
	return out, nil
}

func pickRows(m model.Matrix, which []int) model.Matrix {
	if m.Data == nil {
		return m
	}
	out := model.Matrix{Units: len(which), Regions: m.Regions, Data: make([]float64, 0, len(which)*m.Regions)}
	for _, u := range which {
		out.Data = append(out.Data, m.Row(u)...)
	}
	return out
}

// cores is how many the units had between them; 0 where it is not known.
func (d *Dataset) cores() int {
	if f, ok := d.Factor(model.Cores); ok && f.Numeric && f.Number >= 1 {
		return int(f.Number)
	}
	return 0
}

// StartEnd is the share of the run time that starting and ending take of the mean
// process or thread.
func (d *Dataset) StartEnd() (float64, error) {
	ledgers, err := d.Ledgers()
	if err != nil || len(ledgers) == 0 {
		return 0, err
	}
	share := 0.0
	for _, line := range ledgers[0].Lines {
		if line.Kind == account.StartEnd {
			share += line.Share
		}
	}
	return share, nil
}

// lines are the lines of the main ledger, for JSON never null.
func lines(ledgers []*account.Ledger) []account.Line {
	if len(ledgers) == 0 {
		return []account.Line{}
	}
	return slices.Clone(ledgers[0].Lines)
}
