package trace

// Repeat appends count iterations of what body adds, for a loop that is known
// as one: it costs as little as a single iteration. It stays as it is: neither
// what body adds nor the whole is folded any further.
func (b *Builder) Repeat(count uint64, body func() error) error {
	b.team(1) // as it will be before each iteration
	b.closeLast()
	start, actions := len(b.items), b.actions
	b.known++
	err := body()
	b.team(1)
	b.known--
	b.closeLast()
	inner := append([]item(nil), b.items[start:]...)
	b.truncate(start)
	b.actions = actions
	if err != nil || count == 0 || len(inner) == 0 {
		return err
	}
	r := repeat{count: count, given: true, body: inner, varied: varied(b.repeats, inner), ops: b.ops(inner)}
	b.actions += int64(count) * r.ops
	b.repeats = append(b.repeats, r)
	b.loops = append(b.loops, int32(len(b.items)))
	b.items = append(b.items, item{id: -1, prev: -1, loop: int32(len(b.repeats) - 1), series: -1})
	return nil
}

// closeLast gives the latest item its id, should it be a loop that has none.
func (b *Builder) closeLast() {
	if n := len(b.items); n > 0 && b.items[n-1].id < 0 {
		b.close(n - 1)
	}
}

// ops counts the actions of one iteration.
func (b *Builder) ops(body []item) int64 {
	n := int64(0)
	for _, x := range body {
		switch {
		case x.loop < 0 && Kind(b.codes[x.id][0]) == team:
		case x.loop < 0:
			n++
		default:
			n += int64(b.repeats[x.loop].count) * b.repeats[x.loop].ops
		}
	}
	return n
}
