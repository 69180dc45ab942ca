package tau

import (
	"strings"

	"auspex/model"
)

// TAU's user events are numbers the program or a wrapper reported, summed up
// per thread as count and mean. Most belong to the whole thread; those written
// "event : main => MPI_Send()" name the region they happened in. Of these the
// sizes of messages and of files read and written become canonical metrics.
// All others keep their names, for they may be what tells one process from
// another: in the region they name, else in the one that lasted longest.
//
// Each class lists names in order of preference, for they overlap: a message
// received in a wait is also one received. A name that ends with a blank is a
// beginning ("Message size sent to node 3").
var eventClasses = []struct {
	metric string
	names  []string
}{
	{model.BytesSent, []string{"Message size sent to node ", "Message size sent to all nodes"}},
	{model.BytesReceived, []string{"Message size received from node ", "Message size received from all nodes", "Message size received in wait"}},
	{model.IORead, []string{"Bytes Read", "MPI-IO Bytes Read"}},
	{model.IOWritten, []string{"Bytes Written", "MPI-IO Bytes Written"}},
}

// eventClass returns the class of an event that names its region, -1 for
// all others.
func eventClass(event string) int {
	class, _, _ := readEvent(event)
	return class
}

// maxKeptEvents bounds the metrics made of events without a canonical name.
const maxKeptEvents = 48

// keptEvent returns the name under which an event without a class is kept, ""
// where it says again what those with one do, for a single peer or in sum.
func keptEvent(event string) string {
	name, _, _ := strings.Cut(event, " : ")
	name = strings.TrimSpace(name)
	for _, c := range eventClasses {
		for _, known := range c.names {
			if strings.HasPrefix(name, strings.TrimSpace(known)) {
				return ""
			}
		}
	}
	return name
}

// isAmount tells events whose sum counts from those whose mean does.
func isAmount(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "bytes") || strings.Contains(lower, "message size")
}

// readEvent takes an event's name apart: its class, which of the class's
// names it has, and the region.
func readEvent(event string) (class, preference int, region string) {
	name, region, ok := strings.Cut(event, " : ")
	if !ok {
		return -1, 0, ""
	}
	for class, c := range eventClasses {
		for i, known := range c.names {
			if name == known || strings.HasSuffix(known, " ") && strings.HasPrefix(name, known) {
				return class, i, region
			}
		}
	}
	return -1, 0, ""
}

// eventUse says where an event's sum goes; region is -1 for events that are
// not used.
type eventUse struct {
	region   int
	metric   int
	messages int  // the metric that counts messages, or -1
	kept     bool // has no canonical name; region -1 is the longest of the thread
	mean     bool // of the event counts the mean and not the sum
}

// useEvents finds the regions of the events. Lost counts the events whose
// region is not in the profile.
func useEvents(b *model.Builder, tree *tauTree, events []string) (uses []eventUse, lost int) {
	best := make([]int, len(eventClasses))
	for i := range best {
		best[i] = len(eventClasses[i].names)
	}
	for _, event := range events {
		if class, preference, _ := readEvent(event); class >= 0 {
			best[class] = min(best[class], preference)
		}
	}
	uses = make([]eventUse, len(events))
	for i, event := range events {
		class, preference, path := readEvent(event)
		uses[i] = eventUse{region: -1, messages: -1}
		if class < 0 {
			uses[i] = keepEvent(b, tree, event)
			continue
		}
		if preference != best[class] {
			continue
		}
		region := tree.regionOf(path)
		if region < 0 {
			lost++
			continue
		}
		name := eventClasses[class].metric
		uses[i].region = region
		uses[i].metric = b.Metric(model.NewMetric(name, "", model.Exclusive))
		if name == model.BytesSent {
			uses[i].messages = b.Metric(model.NewMetric(model.Messages, "", model.Exclusive))
		}
	}
	return uses, lost
}

// keepEvent makes a metric of an event under its own name. It belongs to its
// region alone.
func keepEvent(b *model.Builder, tree *tauTree, event string) eventUse {
	name := keptEvent(event)
	use := eventUse{region: -1, messages: -1, kept: true, mean: !isAmount(name)}
	if _, path, ok := strings.Cut(event, " : "); ok {
		use.region = tree.regionOf(path)
	}
	m := model.Metric{Name: name, Scope: model.Own, Missing: model.Absent}
	if !use.mean {
		m.Unit = "bytes"
	}
	use.metric = b.Metric(m)
	return use
}

// regionOf finds the region of a call path: the path itself, or in a profile
// without call paths the function it ends with. -1 where there is none.
func (t *tauTree) regionOf(path string) int {
	parts := t.names.known(path)
	if len(parts) == 0 {
		return -1
	}
	if !t.nested {
		parts = parts[len(parts)-1:]
	}
	if i, ok := t.pathOf[pathKey(parts)]; ok {
		return t.entries[i].region
	}
	return -1
}

// known numbers the parts of a path without adding new ones; nil where one is
// not known.
func (n *names) known(path string) []int32 {
	var parts []int32
	for text := range strings.SplitSeq(path, " => ") {
		i, ok := n.partOf[strings.TrimSpace(text)]
		if !ok {
			return nil
		}
		parts = append(parts, i)
	}
	return parts
}
