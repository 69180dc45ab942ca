package counters

import (
	"fmt"
	"strings"
)

// Setting is what the runtime reads (runtime/counters.c): events as
// name:type:config:model, hexadecimal, parted by commas, groups by semicolons.
// Where model is not 0 the event is left out on other processors: a node's may be
// another than the one that chose.
func (p Processor) Setting(groups [][]Event) string {
	var b strings.Builder
	for i, group := range groups {
		if i > 0 {
			b.WriteByte(';')
		}
		for k, e := range group {
			if k > 0 {
				b.WriteByte(',')
			}
			only := uint32(0)
			if e.Own {
				only = p.signature()
			}
			fmt.Fprintf(&b, "%s:%x:%x:%x", e.Name, e.Type, e.Config, only)
		}
	}
	return b.String()
}

// signature is what CPUID says of family and model in EAX of leaf 1, without the
// stepping and the type: Intel SDM, volume 2, CPUID.
func (p Processor) signature() uint32 {
	family, extended := p.Family, 0
	if family >= 15 {
		family, extended = 15, p.Family-15
	}
	return uint32(extended)<<20 | uint32(p.Model>>4)<<16 | uint32(family)<<8 | uint32(p.Model&15)<<4
}
