package analyze

import (
	"math"

	"auspex/account"
	"auspex/internal/mistake"
	"auspex/model"
)

// imbalanceShare is what the ledger says that uneven work costs.
func imbalanceShare(r *Rows, scope model.Scope) ([]float64, error) {
	if r.By == ByProgram {
		return ledgerShare(account.Imbalance)(r, scope)
	}
	if r.By != ByRegion {
		return nil, mistake.Refuse("%s is of regions and of the whole program, not by %s", ImbalanceShare, r.By)
	}
	out := make([]float64, r.size)
	all, err := r.d.Ledgers()
	if err != nil || len(all) == 0 {
		return out, err
	}
	whole := float64(all[0].Units) * all[0].RunSeconds
	for _, s := range all[0].Spreads {
		for i, region := range r.Region {
			if region == s.Region {
				out[i] += s.Lost / whole
			}
		}
	}
	return out, nil
}

// ledgerShare is the sum of a kind of lines, but for what nothing is lost by.
func ledgerShare(kind account.Kind) func(*Rows, model.Scope) ([]float64, error) {
	return func(r *Rows, _ model.Scope) ([]float64, error) {
		if r.By != ByProgram {
			return nil, mistake.Refuse("lines of the ledger are of the whole program, not by %s", r.By)
		}
		all, err := r.d.Ledgers()
		if err != nil || len(all) == 0 {
			return []float64{0}, err
		}
		if all[0].RunSeconds <= 0 {
			return []float64{math.NaN()}, nil
		}
		share := all[0].Total(kind)
		for _, line := range all[0].Lines {
			if line.Kind == kind && line.Joining {
				share -= line.Share
			}
		}
		return []float64{share}, nil
	}
}
