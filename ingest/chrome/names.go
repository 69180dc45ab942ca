package chrome

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/model"
)

// eventClass is what an event's category says of it.
type eventClass byte

const (
	plainClass eventClass = iota
	opClass               // an operator on the processor
	pythonClass
	annotationClass
	gpuAnnotationClass
	kernelClass // anything that runs on an accelerator
	traceClass  // describes the trace rather than the program
)

// chromeClass tells an event's class.
func chromeClass(category []byte) eventClass {
	switch string(category) {
	case "cpu_op":
		return opClass
	case "python_function":
		return pythonClass
	case "user_annotation":
		return annotationClass
	case "gpu_user_annotation":
		return gpuAnnotationClass
	case "kernel", "gpu_memcpy", "gpu_memset", "gpu_op":
		return kernelClass
	case "Trace", "overhead":
		return traceClass
	}
	return plainClass
}

// names numbers the distinct names of events.
type names struct {
	list  []name
	index map[string]uint32
	key   []byte
	bytes int
}

// name is the name of an event and what it tells of the region.
type name struct {
	raw, name string
	kind      model.Kind
	file      string
	line      int
	ofTrace   bool // no part of the program
	ofStream  bool // a range on a stream, where nothing runs but the kernels in it
}

func newNames() *names { return &names{index: map[string]uint32{}} }

// maxNameBytes bounds the memory for names.
const maxNameBytes = 64 << 20

// find returns the number of a name.
func (n *names) find(class eventClass, name []byte) (uint32, error) {
	// Every step of a training loop bears its number: as regions they are
	// one, called many times.
	if bytes.HasPrefix(name, []byte("ProfilerStep#")) {
		name = name[:len("ProfilerStep")]
	}
	n.key = append(n.key[:0], byte(class))
	if class == pythonClass {
		n.key = appendWithoutAddress(n.key, name)
	} else {
		n.key = append(n.key, name...)
	}
	if i, ok := n.index[string(n.key)]; ok {
		return i, nil
	}
	if n.bytes += len(name) + 100; n.bytes > maxNameBytes {
		return 0, fmt.Errorf("the events have more than %d different names: they seem to bear numbers or addresses", len(n.list))
	}
	i := uint32(len(n.list))
	n.list = append(n.list, newName(class, string(n.key[1:])))
	n.index[string(n.key)] = i
	return i, nil
}

// appendWithoutAddress leaves out where an object lay in memory, as in
// "<built-in method f of X object at 0x7f00>": it differs from run to run.
func appendWithoutAddress(to, name []byte) []byte {
	before, after, found := bytes.Cut(name, []byte(" at 0x"))
	to = append(to, before...)
	if found {
		to = append(to, bytes.TrimLeft(after, "0123456789abcdefABCDEF")...)
	}
	return to
}

func newName(class eventClass, raw string) name {
	n := name{raw: raw, name: raw, kind: input.KindOf(raw), ofTrace: class == traceClass, ofStream: class == gpuAnnotationClass}
	switch class {
	case annotationClass, gpuAnnotationClass:
		if n.kind == model.Function {
			n.kind = model.User
		}
	case kernelClass:
		if n.kind == model.Function {
			n.kind = model.Kernel
		}
	case pythonClass:
		n.splitPython()
	}
	return n
}

// splitPython parts "torch/nn/modules/module.py(1501): forward" into file,
// line and function.
func (n *name) splitPython() {
	place, function, ok := strings.Cut(n.raw, "): ")
	open := strings.LastIndexByte(place, '(')
	if !ok || open <= 0 || function == "" {
		return
	}
	line, err := strconv.Atoi(place[open+1:])
	if err != nil || line < 0 {
		return
	}
	n.name, n.file, n.line = function, place[:open], line
}
