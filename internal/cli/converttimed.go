package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"auspex/events"
	"auspex/events/paraver"
)

// convertTimed writes a trace with times for other tools.
func (a *app) convertTimed(ctx context.Context, run *traced, output, to string) error {
	src, err := run.Named(ctx)
	if err != nil {
		return err
	}
	if to == "chrome" {
		err = writeWhole(output, func(w io.Writer) error { return events.WriteChrome(ctx, w, src) })
	} else {
		err = writeWhole(output, func(prv io.Writer) error {
			return writeWhole(strings.TrimSuffix(output, ".prv")+".pcf", func(pcf io.Writer) error { return paraver.Write(ctx, prv, pcf, src) })
		})
	}
	if err != nil {
		return err
	}
	a.noteNotIn(run, true)
	if a.json {
		return a.printJSON(map[string]any{"ranks": src.Header().Ranks, "output": output, "form": to})
	}
	a.page().Line("%d ranks written to %s", src.Header().Ranks, output)
	return nil
}

// noteNotIn tells what of a run is not in what was written of it.
func (a *app) noteNotIn(run *traced, timed bool) {
	for _, note := range run.NotIn(timed) {
		fmt.Fprintln(a.err, "auspex: note: "+note)
	}
}
