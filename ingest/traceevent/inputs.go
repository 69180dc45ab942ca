package traceevent

import (
	"errors"
	"strconv"

	"auspex/internal/jsonscan"
)

// readInputs reads the dimensions or the types of an event's inputs: how many
// elements all of them have, and the type of the first.
func (d *decoder) readInputs(e *Event, key string) error {
	if kind, err := d.s.Next(); err != nil || kind != jsonscan.ArrayStart {
		return errors.Join(err, d.s.Skip())
	}
	e.Message = true
	if key == "Input type" {
		return d.firstText(&e.Type)
	}
	return d.elements(&e.In)
}

// maxElements is more than tensors have.
const maxElements = 1 << 48

// elements adds up what the list that was begun says of tensors: a list of
// dimensions for each, or a list of such lists.
func (d *decoder) elements(total *int64) error {
	*total = 0
	tensor := int64(-1) // elements of the present one
	for depth := 1; depth > 0; {
		kind, err := d.s.Next()
		if err != nil {
			return err
		}
		switch kind {
		case jsonscan.ArrayStart:
			depth++
			tensor = -1
		case jsonscan.ArrayEnd:
			depth--
			*total = min(*total+max(tensor, 0), maxElements)
			tensor = -1
		case jsonscan.Number:
			n, err := strconv.ParseInt(string(d.s.Bytes()), 10, 64)
			if tensor < 0 {
				tensor = 1
			}
			if err != nil || n < 0 || n > 0 && tensor > maxElements/n {
				n = 0
			}
			tensor *= n
		default:
			if err := d.s.Skip(); err != nil {
				return err
			}
		}
	}
	return nil
}

// firstText copies the first text of the list that was begun.
func (d *decoder) firstText(text *[]byte) error {
	for {
		kind, err := d.s.Next()
		if err != nil || kind == jsonscan.ArrayEnd {
			return err
		}
		if kind != jsonscan.String {
			err = d.s.Skip()
		} else if *text == nil {
			begin := len(d.kept)
			d.kept = append(d.kept, d.s.Bytes()...)
			*text = d.kept[begin:len(d.kept):len(d.kept)]
		}
		if err != nil {
			return err
		}
	}
}
