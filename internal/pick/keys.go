package pick

import "unicode/utf8"

// Key is a character, or one of the keys below.
type Key rune

// The keys that are no characters.
const (
	Up Key = -1 - iota
	Down
	Left
	Right
	PageUp
	PageDown
	Home
	End
	Unknown // a sequence that means nothing here
)

// The control characters that mean something.
const (
	Interrupt Key = 0x03
	Backspace Key = 0x7f
	Enter     Key = '\r'
	Escape    Key = 0x1b
	Suspend   Key = 0x1a
	Erase     Key = 0x15 // the whole line
)

// decode reads the first key of what a terminal sent and tells how many bytes
// it took: 0 where the rest is still to come.
func decode(b []byte) (Key, int) {
	switch {
	case len(b) == 0:
		return Unknown, 0
	case b[0] == '\n':
		return Enter, 1
	case b[0] == 0x08:
		return Backspace, 1
	case b[0] != byte(Escape):
		if !utf8.FullRune(b) {
			return Unknown, 0
		}
		r, n := utf8.DecodeRune(b)
		return Key(r), n
	case len(b) == 1:
		return Escape, 0 // perhaps the beginning of a sequence
	case b[1] != '[' && b[1] != 'O':
		return Escape, 1
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			return sequence(string(b[2 : i+1])), i + 1
		}
		if i > 16 {
			return Unknown, i // no terminal sends that
		}
	}
	return Unknown, 0
}

func sequence(s string) Key {
	switch s {
	case "A":
		return Up
	case "B":
		return Down
	case "C":
		return Right
	case "D":
		return Left
	case "H", "1~", "7~":
		return Home
	case "F", "4~", "8~":
		return End
	case "5~":
		return PageUp
	case "6~":
		return PageDown
	}
	return Unknown
}

// Press does what a key asks for.
func (m *Model) Press(k Key) {
	m.message = ""
	if m.typing {
		m.typed(k)
		return
	}
	switch k {
	case Up, 'k':
		m.move(-1)
	case Down, 'j':
		m.move(1)
	case PageUp:
		m.move(-max(1, m.height-1))
	case PageDown:
		m.move(max(1, m.height-1))
	case Home, 'g':
		m.move(-len(m.shown))
	case End, 'G':
		m.move(len(m.shown))
	case Right, 'l':
		m.unfold()
	case Left, 'h':
		m.fold()
	case '+':
		m.foldAll(true)
	case '-':
		m.foldAll(false)
	case ' ', 'x':
		if at := m.current(); at >= 0 {
			m.toggle(at)
		}
	case 'n':
		clear(m.ticked)
		m.changed, m.warned = true, false
	case 'd':
		m.defaults()
		m.changed, m.warned = true, false
	case '/':
		m.typing = true
	case Escape:
		m.query = ""
		m.filter()
	case 's', Enter:
		m.end = saved
	case 'q':
		if m.changed && !m.warned {
			m.warned, m.message = true, "not saved: s saves, q once more leaves it"
			return
		}
		m.end = left
	case Interrupt:
		m.end = left
	}
}

// typed puts keys into the query.
func (m *Model) typed(k Key) {
	switch {
	case k == Enter || k == Down || k == Up:
		m.typing = false
		return
	case k == Interrupt:
		m.end = left
		return
	case k == Escape:
		m.typing, m.query = false, ""
	case k == Erase:
		m.query = ""
	case k == Backspace:
		_, n := utf8.DecodeLastRuneInString(m.query)
		m.query = m.query[:len(m.query)-n]
	case k >= ' ' && len(m.query) < 200:
		m.query += string(rune(k))
	}
	m.filter()
}

func (m *Model) move(by int) {
	m.cursor = max(0, min(m.cursor+by, len(m.shown)-1))
}

// unfold opens what is under the cursor, or goes in where it is open.
func (m *Model) unfold() {
	at := m.current()
	if at < 0 || m.nodes[at].after == at+1 {
		return
	}
	if m.nodes[at].open {
		m.move(1)
		return
	}
	m.nodes[at].open = true
	m.filter()
}

// fold closes what is under the cursor, or goes to what it is in.
func (m *Model) fold() {
	at := m.current()
	if at < 0 {
		return
	}
	if n := &m.nodes[at]; n.open {
		n.open = false
	} else if n.parent >= 0 {
		for m.cursor > 0 && m.shown[m.cursor] != n.parent {
			m.cursor--
		}
	}
	m.filter()
}

// foldAll opens or closes everything: first files, and where they are all
// open, functions too.
func (m *Model) foldAll(open bool) {
	deep := true
	for _, n := range m.nodes {
		deep = deep && (n.depth > 0 || n.open)
	}
	for i := range m.nodes {
		if n := &m.nodes[i]; n.depth == 0 || deep || !open {
			n.open = open && n.after > i+1
		}
	}
	m.filter()
}
