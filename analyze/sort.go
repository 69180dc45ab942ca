package analyze

import (
	"slices"

	"auspex/account"
	"auspex/model"
)

// Sort says what the time of each region is by a vocabulary, before the shipped
// table. It is for datasets that nothing was asked of yet.
func (d *Dataset) Sort(words Words) {
	var own account.Table
	for _, t := range words.Times {
		own = append(own, account.Entry{Pattern: t.Pattern, Class: timeClasses[t.Is]})
	}
	if len(own) > 0 {
		d.sort(own)
		d.kept = func() *digest { return nil } // it was made by the shipped table
	}
}

var timeClasses = map[string]account.Class{
	"work": account.Work, "communication": account.Communicating, "waiting": account.Waits, "io": account.InOut, "start_end": account.Beginning,
}

// sort gives the regions their classes. A thread that is blocked waits for others of
// its process, if for anybody; a process that is, others may have to wait for.
func (d *Dataset) sort(own account.Table) {
	threads := slices.ContainsFunc(d.Units, func(u model.Unit) bool { return u.Thread > 0 })
	d.Classes = account.Sort(d.Regions, slices.Concat(own, account.ShippedFor(d.BlockedApart)))
	d.Communication = model.Communication(d.Regions)
	for r, class := range d.Classes {
		if class == account.Work && d.Regions[r].Name == model.Blocked && threads {
			class = account.Asleep
			d.Classes[r] = class
		}
		waits := class == account.Waits || class == account.Communicating || class == account.Asleep
		d.Communication[r] = waits || d.Communication[r] && !own.Names(d.Regions[r].Name)
	}
}
