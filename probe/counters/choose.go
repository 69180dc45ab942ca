package counters

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"auspex/model"
)

// Types of events, as linux/perf_event.h numbers them.
const (
	hardware = 0
	cache    = 3
)

// Event is something to count, as perf_event_open(2) is told of it.
type Event struct {
	Name   string // of the metric
	PAPI   string // the same, as PAPI calls it
	Type   uint32
	Config uint64
	// Own says that the number means this on one model of processor only.
	Own bool

	apart bool // it has a counter of its own
}

// generic are the events that the kernel has names for: linux/perf_event.h.
var generic = map[string]Event{
	model.Instructions: {PAPI: "PAPI_TOT_INS", Type: hardware, Config: 1, apart: true},
	model.Cycles:       {PAPI: "PAPI_TOT_CYC", Type: hardware, Config: 0, apart: true},
	"reference_cycles": {PAPI: "PAPI_REF_CYC", Type: hardware, Config: 9, apart: true},
	"branches":         {PAPI: "PAPI_BR_INS", Type: hardware, Config: 4},
	"branch_misses":    {PAPI: "PAPI_BR_MSP", Type: hardware, Config: 5},
	"stalled_cycles":   {PAPI: "PAPI_RES_STL", Type: hardware, Config: 8},
	model.L1Misses:     {PAPI: "PAPI_L1_DCM", Type: cache, Config: reads(0, true)},
	"l1_accesses":      {PAPI: "PAPI_L1_DCA", Type: cache, Config: reads(0, false)},
	"l1i_misses":       {PAPI: "PAPI_L1_ICM", Type: cache, Config: reads(1, true)},
	model.L3Misses:     {PAPI: "PAPI_L3_TCM", Type: cache, Config: reads(2, true)},
	"l3_accesses":      {PAPI: "PAPI_L3_TCA", Type: cache, Config: reads(2, false)},
	"tlb_misses":       {PAPI: "PAPI_TLB_DM", Type: cache, Config: reads(3, true)},
}

// reads is the kernel's number for reads of a cache, or those that miss it.
func reads(which uint64, misses bool) uint64 {
	if misses {
		return which | 1<<16
	}
	return which
}

const l2Accesses = "l2_accesses"

var second = map[string]string{model.L2Misses: "PAPI_L2_DCM", l2Accesses: "PAPI_L2_DCA"}

// aliases are further names of PAPI's for the same.
var aliases = map[string]string{
	"PAPI_L1_TCM": model.L1Misses, "PAPI_L1_LDM": model.L1Misses, "PAPI_L1_TCA": "l1_accesses", "PAPI_L1_DCR": "l1_accesses",
	"PAPI_L2_TCM": model.L2Misses, "PAPI_L2_LDM": model.L2Misses, "PAPI_L2_TCA": l2Accesses, "PAPI_L2_DCR": l2Accesses,
	"PAPI_L3_DCM": model.L3Misses, "PAPI_L3_LDM": model.L3Misses, "PAPI_L3_DCA": "l3_accesses", "PAPI_L3_DCR": "l3_accesses",
	"PAPI_BR_CN": "branches",
}

// Default are the names that are counted where nobody chooses.
var Default = []string{model.Instructions, model.Cycles, model.L1Misses, model.L2Misses, l2Accesses, model.L3Misses}

// Names are all names that Choose knows, ours.
func Names() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(generic)), maps.Keys(second))))
}

// PAPI is what PAPI calls a counter of ours, "" where there is none of that name.
func PAPI(name string) string {
	if e, ok := generic[name]; ok {
		return e.PAPI
	}
	return second[name]
}

// Most is how many events the runtime has room for.
const Most = 8

// canonical is our name for a word of the user's.
func canonical(word string) (string, error) {
	name, upper := strings.ToLower(word), strings.ToUpper(word)
	if _, ok := generic[name]; ok {
		return name, nil
	}
	if _, ok := second[name]; ok {
		return name, nil
	}
	if name, ok := aliases[upper]; ok {
		return name, nil
	}
	for name, e := range generic {
		if e.PAPI == upper {
			return name, nil
		}
	}
	for name, papi := range second {
		if papi == upper {
			return name, nil
		}
	}
	return "", fmt.Errorf("there is no counter %q; there are %s, and PAPI's names for them", word, strings.Join(Names(), ", "))
}

// Choose finds the events of that name, in groups that are counted at once, and
// those that this processor has no event for.
func (p Processor) Choose(names []string) (groups [][]Event, missing []string, err error) {
	var group []Event
	room := p.AtOnce
	chosen := map[string]bool{}
	for _, word := range names {
		name, err := canonical(word)
		if err != nil {
			return nil, nil, err
		}
		if chosen[name] {
			continue
		}
		chosen[name] = true
		if len(chosen) > Most {
			return nil, nil, fmt.Errorf("%d counters are more than the %d that there is room for", len(chosen), Most)
		}
		e, ok := p.event(name)
		if !ok {
			missing = append(missing, name)
			continue
		}
		e.Name = name
		if !e.apart {
			if room == 0 && p.AtOnce > 0 {
				groups, group, room = append(groups, group), nil, p.AtOnce
			}
			room--
		}
		group = append(group, e)
	}
	if len(group) > 0 {
		groups = append(groups, group)
	}
	return groups, missing, nil
}

func (p Processor) event(name string) (Event, bool) {
	if e, ok := generic[name]; ok {
		if p.Hybrid {
			e.Config |= uint64(p.Type) << 32 // of the cores that are counted
		}
		return e, true
	}
	e := Event{PAPI: second[name], Type: p.Type}
	for _, s := range secondLevel {
		if s.vendor == p.Vendor && s.family == p.Family && (s.models == nil || slices.Contains(s.models, p.Model)) {
			e.Config, e.Own = s.accesses, true
			if name == model.L2Misses {
				e.Config = s.misses
			}
			return e, true
		}
	}
	called := map[string]string{model.L2Misses: "l2d_cache_refill", l2Accesses: "l2d_cache"}[name]
	e.Config = p.events[called]
	return e, e.Config != 0
}

// secondLevel are events of the second level of cache: data that was asked for,
// without what is fetched ahead. No models means all of the family.
var secondLevel = []struct {
	vendor           string
	family           int
	models           []int
	misses, accesses uint64
}{
	// L2_RQSTS.DEMAND_DATA_RD_MISS and .ALL_DEMAND_DATA_RD, in Intel's lists from
	// Haswell on; before it there is no event for such misses.
	{"GenuineIntel", 6, []int{
		0x3c, 0x3f, 0x45, 0x46, // Haswell
		0x3d, 0x47, 0x4f, 0x56, // Broadwell
		0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, // Skylake, Cascade Lake, Kaby Lake, Comet Lake
		0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7, // Ice Lake, Tiger Lake, Rocket Lake
		0x97, 0x9a, 0xb7, 0xba, 0xbf, // Alder Lake, Raptor Lake: their performance cores
		0x8f, 0xcf, 0xad, // Sapphire Rapids, Emerald Rapids, Granite Rapids
	}, 0x2124, 0xe124},
	// l2_cache_req_stat.ls_rd_blk_c and .dc_access_in_l2: Zen 1 to 5.
	{"AuthenticAMD", 0x17, nil, 0x0864, 0xf864},
	{"AuthenticAMD", 0x19, nil, 0x0864, 0xf864},
	{"AuthenticAMD", 0x1a, nil, 0x0864, 0xf864},
}
