package symbols

import (
	"debug/dwarf"
	"fmt"
)

// isLambda tells the body of a C++ lambda: gcc has it as an operator of a type without a
// name, and marks it as made up, as it does nothing else of that name.
func (from origin) isLambda() bool { return from.artificial && from.name == "operator()" }

// lambda is what a lambda is called that has no symbol, as it was inlined: by the function
// and the line that it stands in.
func (o *Object) lambda(from origin) string {
	at, line := from.at, from.line
	if p := o.typeAround(from.at); p != nil {
		at = p.from
		if line == 0 {
			_, line = o.lambdaLine(from)
		}
	}
	return o.qualified(fmt.Sprintf("{lambda@%d}", line), at)
}

// lambdaLine is where a lambda stands: gcc says so of its type.
func (o *Object) lambdaLine(from origin) (file string, line int) {
	p := o.typeAround(from.at)
	if p == nil {
		return "", 0
	}
	e := o.entry(p.from)
	if n, ok := e.Val(dwarf.AttrDeclLine).(int64); ok {
		line = int(n)
	}
	if i, ok := e.Val(dwarf.AttrDeclFile).(int64); ok {
		file = o.fileOf(p.from, int(i))
	}
	return file, line
}

// typeAround is the type that an entry is directly in, nil where there is none.
func (o *Object) typeAround(at dwarf.Offset) *part {
	unit := o.unitOf(at)
	if unit == nil {
		return nil
	}
	path := o.around(o.treeOf(unit), at)
	if len(path) == 0 || path[len(path)-1].tag == dwarf.TagSubprogram || path[len(path)-1].tag == dwarf.TagNamespace {
		return nil
	}
	return path[len(path)-1]
}
