package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"auspex/trace"
)

func (a *app) traceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "trace",
		GroupID: "predict",
		Short:   "Describe and convert traces",
		Args:    exactly(0, "stat or convert"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var np int
	stat := &cobra.Command{
		Use:     "stat TRACES",
		Short:   "Tell what a trace does: ranks, actions, bytes by pair, computation by rank",
		Example: `  auspex trace stat examples/traces/intsort-8.txt`,
		Args:    exactly(1, "one trace or list of traces"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := trace.Open(cmd.Context(), args[0], np)
			if err != nil {
				return err
			}
			s, err := trace.Summarize(cmd.Context(), t)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(s)
			}
			a.page().TraceStat(s)
			return nil
		},
	}
	var to string
	convert := &cobra.Command{
		Use:   "convert TRACES OUTPUT",
		Short: "Write a trace in another form",
		Long: `Write a trace in another form:

  auspex   one compact file with repeated stretches stored once
  text     SimGrid's time-independent form: OUTPUT is a folder with a list.txt
  dperf    dPerf's text form, likewise a folder
  paraver  Paraver's .prv with a .pcf beside it
  chrome   Chrome's trace event JSON, which Perfetto opens

Times come from the trace where it has them (Paraver, OTF2), else from a replay.`,
		Example: `  auspex trace convert list.txt run.trace
  auspex trace convert run.trace folder --to text`,
		Args: exactly(2, "a trace and where to write it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := a.openTraced(cmd.Context(), args[0], np)
			if err != nil {
				return err
			}
			if to == "paraver" || to == "chrome" {
				return a.convertTimed(cmd.Context(), run, args[1], to)
			}
			t, err := run.replayable(cmd.Context())
			if err != nil {
				return err
			}
			switch to {
			case "auspex":
				err = writeWhole(args[1], func(w io.Writer) error { return trace.Write(w, t) })
			case "text":
				err = writeRanks(args[1], t, trace.WriteText)
			case "dperf":
				err = writeRanks(args[1], t, trace.WriteDPerf)
			default:
				return usagef("--to takes auspex, text, dperf, paraver or chrome, not %q", to)
			}
			if err != nil {
				return err
			}
			a.noteForm(cmd.Context(), t, to)
			a.noteNotIn(run, false)
			if a.json {
				return a.printJSON(map[string]any{"ranks": t.NP(), "actions": t.Actions(), "output": args[1], "form": to})
			}
			a.page().Line("%d ranks, %d actions written to %s", t.NP(), t.Actions(), args[1])
			return nil
		},
	}
	convert.Flags().StringVar(&to, "to", "auspex", "auspex, text, dperf, paraver or chrome")
	offer(convert, "to", "auspex", "text", "dperf", "paraver", "chrome")
	cmd.PersistentFlags().IntVar(&np, "np", 0, "number of ranks (default: as many as there are traces)")
	cmd.AddCommand(stat, convert)
	return cmd
}

// noteForm tells what the form that a trace was written in cannot say of its computation:
// its unit, and for how many cores it has work.
func (a *app) noteForm(ctx context.Context, t *trace.Trace, to string) {
	if (to == "text" || to == "dperf") && t.Teams() {
		fmt.Fprintln(a.err, "auspex: note: parallel regions are as long as with a core for each thread: this form cannot say for how many cores they have work")
	}
	s, err := trace.Summarize(ctx, t)
	if err != nil || !slices.ContainsFunc(s.Compute, func(v float64) bool { return v > 0 }) {
		return
	}
	switch {
	case to == "text" && t.Nanoseconds:
		fmt.Fprintln(a.err, "auspex: note: the trace's computation is in ns, which the time-independent form reads as flops: only on hosts of 1 Gf does it take as long as before")
	case to == "dperf" && !t.Nanoseconds:
		fmt.Fprintln(a.err, "auspex: note: the trace's computation is in flops, which dPerf's form reads as ns of the machine that counts as the reference (--reference-speed): only where that is of 1 Gf does it take as long as before")
	}
}

// writeRanks writes a text file for each rank, and the list that names them. An
// action that the form cannot say is found before anything is written.
func writeRanks(dir string, t *trace.Trace, write func(io.Writer, *trace.Trace, int) error) error {
	for rank := range t.NP() {
		if err := write(io.Discard, t, rank); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for rank := range t.NP() {
		err := writeWhole(filepath.Join(dir, rankFile(rank)), func(w io.Writer) error { return write(w, t, rank) })
		if err != nil {
			return err
		}
	}
	return writeWhole(filepath.Join(dir, "list.txt"), func(w io.Writer) error {
		for rank := range t.NP() {
			if _, err := fmt.Fprintln(w, rankFile(rank)); err != nil {
				return err
			}
		}
		return nil
	})
}

func rankFile(rank int) string { return fmt.Sprintf("rank%d.txt", rank) }
