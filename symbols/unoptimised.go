package symbols

import (
	"debug/dwarf"
	"strings"
)

// Unoptimised gives the source file that an address was compiled from, where debug
// information tells that it was without optimisation. Only GCC says with which options it
// was called.
func (o *Object) Unoptimised(address uint64) (file string, ok bool) {
	if o.data == nil {
		return "", false
	}
	unit := o.unitAt(address)
	if unit == nil {
		return "", false
	}
	producer, _ := unit.Val(dwarf.AttrProducer).(string)
	if !unoptimised(producer) {
		return "", false
	}
	file, _ = unit.Val(dwarf.AttrName).(string)
	return file, true
}

// unoptimised reads a compiler's description of itself, such as "GNU C17 12.2.0
// -mtune=generic -g": the last -O counts, and none is -O0. Assembly is what it is.
func unoptimised(producer string) bool {
	if !strings.HasPrefix(producer, "GNU ") || strings.HasPrefix(producer, "GNU AS") || !strings.Contains(producer, " -m") {
		return false
	}
	level := "0"
	for _, option := range strings.Fields(producer) {
		if given, ok := strings.CutPrefix(option, "-O"); ok {
			level = given
		}
	}
	return level == "0"
}
