package counters

import (
	"bufio"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Processor is what is known of one.
type Processor struct {
	// Vendor, Family and Model are as /proc/cpuinfo has them, "" and 0 on
	// processors that are not x86.
	Vendor        string
	Family, Model int
	// Unit is the name of its performance monitoring unit, "" where none is to be
	// seen, and Type its number.
	Unit string
	Type uint32
	// Hybrid says that there are cores of another kind, which are not counted.
	Hybrid bool
	// AtOnce is how many events other than cycles and instructions it counts at
	// once, 0 where that is not known.
	AtOnce int

	events map[string]uint64 // those that sysfs names
}

const units = "sys/bus/event_source/devices"

// Read describes the processor by the files below root, which stands for "/". What
// cannot be read stays unknown.
func Read(root fs.FS) Processor {
	var p Processor
	for _, name := range []string{"cpu", "cpu_core", "armv8_pmuv3_0", "armv8_pmuv3"} {
		if kind, err := number(root, units+"/"+name+"/type"); err == nil {
			p.Unit, p.Type = name, uint32(kind)
			break
		}
	}
	if p.Unit == "" {
		return p
	}
	p.Hybrid = p.Unit == "cpu_core"
	p.readModel(root)
	p.readEvents(root)
	switch p.Vendor {
	case "GenuineIntel":
		// Of eight counters two threads of a core have four each; cycles and
		// instructions have their own (Intel SDM, volume 3, 20.2).
		p.AtOnce = 8
		if active, err := number(root, "sys/devices/system/cpu/smt/active"); err != nil || active != 0 {
			p.AtOnce = 4
		}
		if dog, err := number(root, "proc/sys/kernel/nmi_watchdog"); err == nil && dog != 0 {
			p.AtOnce--
		}
	case "AuthenticAMD":
		p.AtOnce = 4 // of six, which cycles and instructions share
	default:
		p.AtOnce = 5 // the least of Arm's Neoverse and Cortex-A7x; cycles have their own
	}
	return p
}

func number(root fs.FS, name string) (int, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// readModel reads the first processor of /proc/cpuinfo: with hundreds of them the
// kernel takes milliseconds for the whole.
func (p *Processor) readModel(root fs.FS) {
	file, err := root.Open("proc/cpuinfo")
	if err != nil {
		return
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() && lines.Text() != "" {
		key, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "vendor_id":
			p.Vendor = value
		case "cpu family":
			p.Family, _ = strconv.Atoi(value)
		case "model":
			p.Model, _ = strconv.Atoi(value)
		}
	}
}

// readEvents reads the events that the unit names, such as l2d_cache_refill with
// event=0x17, by the places that its formats give to their fields.
func (p *Processor) readEvents(root fs.FS) {
	p.events = map[string]uint64{}
	dir := units + "/" + p.Unit
	list, _ := fs.ReadDir(root, dir+"/events")
	for _, entry := range list {
		if strings.Contains(entry.Name(), ".") {
			continue // .scale and .unit of another
		}
		text, err := fs.ReadFile(root, dir+"/events/"+entry.Name())
		if err != nil {
			continue
		}
		if config, err := assemble(root, dir+"/format", strings.TrimSpace(string(text))); err == nil {
			p.events[entry.Name()] = config
		}
	}
}

// assemble puts the fields of an event, name=value or name for 1, where the files
// of its formats say: config:0-7,32-35.
func assemble(root fs.FS, formats, text string) (config uint64, err error) {
	for field := range strings.SplitSeq(text, ",") {
		name, value, given := strings.Cut(field, "=")
		v := uint64(1)
		if given {
			if v, err = strconv.ParseUint(value, 0, 64); err != nil {
				return 0, err
			}
		}
		format, err := fs.ReadFile(root, formats+"/"+name)
		if err != nil {
			return 0, err
		}
		bits, ok := strings.CutPrefix(strings.TrimSpace(string(format)), "config:")
		if !ok {
			return 0, fmt.Errorf("%s stands outside of config", name)
		}
		for part := range strings.SplitSeq(bits, ",") {
			low, high, err := span(part)
			if err != nil {
				return 0, err
			}
			width := high - low + 1
			config |= v & (1<<width - 1) << low
			v >>= width
		}
	}
	return config, nil
}

func span(text string) (low, high uint, err error) {
	first, last, several := strings.Cut(text, "-")
	a, err := strconv.ParseUint(first, 10, 6)
	if err != nil || !several {
		return uint(a), uint(a), err
	}
	b, err := strconv.ParseUint(last, 10, 6)
	if err == nil && b < a {
		err = fmt.Errorf("bits %s", text)
	}
	return uint(a), uint(b), err
}
