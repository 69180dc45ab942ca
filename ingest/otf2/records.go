package otf2

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// maxRecord is how much of a record is kept. Groups of many members make
// longer ones; what is needed stands at the beginning of those that are read.
const maxRecord = 64 << 10

// maxLines is how many more lines a record may have.
const maxLines = 100

// otf2Records parts the output of otf2-print into records:
//
//	REGION       3  Name: "main" <20> (Aka. …), …     a definition
//	ENTER        0     7397466977683839  Region: …     an event
//
// Names are not quoted in a way that could be undone, so a name that holds a
// line break makes a record of several lines.
type otf2Records struct {
	r       *bufio.Reader
	line    int    // of the record's beginning
	lines   int    // read so far
	failure string // what otf2-print says went wrong
	buffer  []byte
}

func newRecords(r *bufio.Reader) *otf2Records { return &otf2Records{r: r} }

// next returns the next record: its kind and the rest of it, valid until the
// next call. After the last it returns io.EOF.
func (in *otf2Records) next() (kind, rest []byte, err error) {
	for {
		in.buffer = in.buffer[:0]
		if err := in.readLine(); err != nil {
			return nil, nil, err
		}
		in.line = in.lines
		if verdict, found := bytes.CutPrefix(in.buffer, []byte("==ERROR==")); found {
			in.failure = strings.TrimSpace(string(verdict))
			return nil, nil, io.EOF
		}
		if len(in.buffer) == 0 || !isUpper(in.buffer[0]) {
			continue
		}
		for n := 0; n < maxLines && in.continues(); n++ {
			in.buffer = append(in.buffer, '\n')
			if err := in.readLine(); err != nil {
				break
			}
		}
		end := bytes.IndexByte(in.buffer, ' ')
		if end < 0 {
			return in.buffer, nil, nil
		}
		return in.buffer[:end], bytes.TrimLeft(in.buffer[end:], " "), nil
	}
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// continues tells whether the next line belongs to the record: it begins
// neither like a record nor like a heading, nor is it an indented list of
// further attributes.
func (in *otf2Records) continues() bool {
	head, err := in.r.Peek(1)
	return err == nil && !isUpper(head[0]) && !strings.ContainsRune(" \n=-", rune(head[0]))
}

// readLine appends a line to the buffer, as far as there is room.
func (in *otf2Records) readLine() error {
	in.lines++
	got := false
	for {
		part, err := in.r.ReadSlice('\n')
		got = got || len(part) > 0
		part = bytes.TrimSuffix(part, []byte("\n"))
		room := max(0, maxRecord-len(in.buffer))
		in.buffer = append(in.buffer, part[:min(len(part), room)]...)
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && got:
			return nil
		}
		return err
	}
}

// number takes a number from the beginning of a text.
func number(text []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		if n > (1<<64-10)/10 {
			return 0, text, false
		}
		n = n*10 + uint64(text[i]-'0')
	}
	return n, bytes.TrimLeft(text[i:], " "), i > 0
}

// reference takes the number from a text that ends with a name and its
// number: "main" <20>.
func reference(text []byte) (n uint64, ok bool) {
	open := bytes.LastIndexByte(text, '<')
	if open < 0 || text[len(text)-1] != '>' {
		return 0, false
	}
	n, rest, ok := number(text[open+1:])
	return n, ok && len(rest) == 1
}

// field returns the text between the last "before" and the next "after" or
// the end. Searching from the end keeps odd names from misleading, since they
// come first.
func field(text []byte, before, after string) []byte {
	at := bytes.LastIndex(text, []byte(before))
	if at < 0 {
		return nil
	}
	text = text[at+len(before):]
	if after != "" {
		if end := bytes.Index(text, []byte(after)); end >= 0 {
			text = text[:end]
		}
	}
	return text
}

// fieldNumber returns the number in a field.
func fieldNumber(text []byte, before string) float64 {
	n, _, _ := number(field(text, before, ""))
	return float64(n)
}

// unquoted strips quotes and reference off a name: "MPI" <4>.
func unquoted(text []byte) string {
	if len(text) > 1 && text[0] == '"' {
		if end := bytes.LastIndexByte(text, '"'); end > 0 {
			return string(text[1:end])
		}
	}
	return string(text)
}
