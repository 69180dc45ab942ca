package depend

import (
	"strings"

	"auspex/source"
)

// outerNames reads the declarations of a file that stand in no procedure:
// globals of C, variables of Fortran modules.
func outerNames(f *source.File) map[string]*variable {
	names := map[string]*variable{}
	if len(f.Units) == 0 {
		return names
	}
	seen := map[*source.Node]bool{}
	for _, u := range f.Units {
		for n := u.Node; n != nil && n.Parent != nil; n = n.Parent {
			if seen[n.Parent] {
				break
			}
			seen[n.Parent] = true
			for k := range n.Parent.Children() {
				switch k.Kind {
				case "declaration", "variable_declaration", "field_declaration":
					declaredIn(f, k, names)
				}
			}
		}
	}
	return names
}

// declaredIn reads the names of one declaration.
func declaredIn(f *source.File, decl *source.Node, names map[string]*variable) {
	typ := ""
	if t := decl.Child("type"); t != nil {
		if typ = t.Text(f.Text); f.Language == source.Fortran {
			typ = strings.ToLower(typ)
		}
	}
	wide := false // dimension(…) or an array shape for all names of the line
	constant := false
	for k := range decl.Children() {
		constant = constant || k.Kind == "type_qualifier" && k.Text(f.Text) == "const"
		if k.Kind == "type_qualifier" && strings.HasPrefix(strings.ToLower(k.Text(f.Text)), "dimension") {
			wide = true
		}
	}
	for k := range decl.Children() {
		if !k.Named || k.Field == "type" || k.Kind == "type_qualifier" || k.Kind == "storage_class_specifier" {
			continue
		}
		v := &variable{static: true, constant: constant}
		v.Type = typ
		name := ""
		for d := k; d != nil && name == ""; {
			var next *source.Node
			switch d.Kind {
			case "identifier", "field_identifier":
				name = d.Text(f.Text)
			case "pointer_declarator", "reference_declarator":
				v.Pointer = true
			case "array_declarator", "sized_declarator":
				v.Dims = append(v.Dims, nil)
			case "function_declarator":
				d = nil
			}
			if d == nil || name != "" {
				break
			}
			if next = d.Child("declarator"); next == nil {
				next = d.Child("left")
			}
			if next == nil {
				next = d.Find("identifier", "field_identifier", "pointer_declarator", "array_declarator", "reference_declarator", "sized_declarator")
			}
			d = next
		}
		if name == "" {
			continue
		}
		if f.Language == source.Fortran {
			name = strings.ToLower(name)
			if wide {
				v.Dims = append(v.Dims, nil)
			}
		}
		v.Name = name
		v.restrict = strings.Contains(k.Text(f.Text), "restrict")
		names[name] = v
	}
}

// readTypes notes for the fields of C structures whether they are numbers, and
// which names of types stand for numbers.
func (p *Program) readTypes(f *source.File) {
	if f.Language == source.Fortran || len(f.Units) == 0 {
		return
	}
	root := f.Units[0].Node
	for root.Parent != nil {
		root = root.Parent
	}
	var visit func(n *source.Node)
	visit = func(n *source.Node) {
		for k := range n.Children() {
			switch k.Kind {
			case "field_declaration":
				names := map[string]*variable{}
				declaredIn(f, k, names)
				for d := range k.Children() {
					if d.Kind == "reference_declarator" {
						if name := d.Find("field_identifier"); name != nil {
							p.references[name.Text(f.Text)] = true
						}
					}
				}
				for name, v := range names {
					number := arithmetic[p.plainType(v.Type)] && !v.Pointer && !v.array()
					old, seen := p.fields[name]
					p.fields[name] = number && (old || !seen)
					if f.Language == source.CXX && !number && !v.Pointer && !v.array() && !p.sequence(v.Type) {
						p.growing[name] = true
					}
				}
				continue
			case "type_definition":
				p.readTypedef(f, k)
			case "alias_declaration":
				if name, typ := k.Child("name"), k.Child("type"); name != nil && typ != nil {
					p.aliases[name.Text(f.Text)] = typ.Text(f.Text)
				}
			}
			if k.Named {
				visit(k)
			}
		}
	}
	visit(root)
	p.readUnions(f, root, false)
}

// readTypedef notes typedef double Real. A name that stands for something else
// than a number, or for two, is known to be a type and no more.
func (p *Program) readTypedef(f *source.File, def *source.Node) {
	typ, name := def.Child("type"), def.Child("declarator")
	if typ == nil || name == nil {
		return
	}
	to := p.plainType(typ.Text(f.Text))
	for name.Kind == "pointer_declarator" && name.Child("declarator") != nil {
		name, to = name.Child("declarator"), ""
	}
	if name.Kind != "type_identifier" {
		return
	}
	key := name.Text(f.Text)
	p.aliases[key] = typ.Text(f.Text)
	if old, seen := p.types[key]; !arithmetic[to] || seen && old != to {
		to = ""
	}
	p.types[key] = to
}

// plainType follows a typedef.
func (p *Program) plainType(name string) string {
	if to := p.types[name]; to != "" {
		return to
	}
	return name
}
