package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"auspex/calibrate"
	"auspex/internal/scratch"
	"auspex/signature"
	"auspex/simulate"
)

type calibrateFlags struct {
	run, compiler, output, raw, from string
	signature, crowd                 string
	nodes                            int
	largest                          int64
	budget                           time.Duration
	speed                            float64
}

func (a *app) calibrateCommand() *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:     "calibrate --run COMMAND -o PLATFORM",
		GroupID: "predict",
		Short:   "Measure a real network and write the platform file that simulate needs",
		Long: `Run a ping-pong between the hosts of a command such as 'mpirun -n 2 -host a,b',
every pair of ranks in turn, and fit the constants of the model: latency,
bandwidth, their factors by message size, the time that sends and receives take
themselves, and the size from which on sends wait. Processors are compared with
the one auspex runs on, which counts as 1 Gf.`,
		Example: `  auspex calibrate --run 'mpirun -n 2 -host a,b' -o cluster.xml
  auspex calibrate --run 'srun -N 4 -n 4' --nodes 64 -o cluster.toml
  auspex calibrate --signature node.sig`,
		Args: exactly(0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.signature != "" {
				if err := a.takeSignature(cmd.Context(), f.signature, f.run == "" && f.from == ""); err != nil || f.run == "" && f.from == "" {
					return err
				}
			}
			return a.runCalibrate(cmd.Context(), f)
		},
	}
	cmd.Flags().StringVar(&f.run, "run", "", "`command` that starts MPI programs on the hosts; the program is appended")
	cmd.Flags().StringVar(&f.crowd, "crowd", "", "`command` that starts as many ranks as programs will have: what they send at once, together, is measured too")
	cmd.Flags().StringVar(&f.compiler, "mpicc", "mpicc", "MPI compiler for the ping-pong program")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "platform `file` to write, SimGrid's XML or the short form by its .toml")
	cmd.Flags().IntVar(&f.nodes, "nodes", 0, "hosts of the platform, if they are all the same (default: those measured)")
	cmd.Flags().Int64Var(&f.largest, "largest", 16<<20, "largest message in `bytes`")
	cmd.Flags().DurationVar(&f.budget, "budget", 50*time.Millisecond, "time to spend on each size and kind")
	cmd.Flags().Float64Var(&f.speed, "speed", 0, "how fast the hosts' processors are beside this one, where that is known (default: measured)")
	cmd.Flags().StringVar(&f.raw, "raw", "", "also keep the measured times in this `file`")
	cmd.Flags().StringVar(&f.signature, "signature", "", "write what kinds of work take on this machine, as its cores fill, to this `file`; needs no MPI, and may be the only flag")
	cmd.Flags().StringVar(&f.from, "from", "", "fit the times kept in this `file` instead of measuring")
	return cmd
}

// calibrated is what the command prints with --json.
type calibrated struct {
	*calibrate.Calibration
	Sizes       []calibrate.Compared `json:"sizes"`
	MedianError float64              `json:"median_error"`
	WorstError  float64              `json:"worst_error"`
	LogGP       simulate.LogGP       `json:"loggp"`
}

func (a *app) runCalibrate(ctx context.Context, f calibrateFlags) error {
	switch {
	case (f.run == "") == (f.from == ""):
		return usagef("calibrate needs --run COMMAND, or --from FILE, or --signature FILE")
	case f.output == "":
		return usagef("calibrate needs -o PLATFORM")
	case f.crowd != "" && f.run == "":
		return usagef("--crowd goes with --run")
	case f.largest < 1024 || f.largest > 1<<30:
		return usagef("--largest is between 1024 and 1073741824 bytes, not %d", f.largest)
	case f.speed < 0:
		return usagef("--speed is above 0, not %g", f.speed)
	case f.nodes < 0 || f.nodes > 512:
		return usagef("--nodes is between 1 and 512, not %d", f.nodes)
	}
	measured, reference, err := a.measureNetwork(ctx, f)
	if err != nil {
		return err
	}
	c, err := calibrate.Fit(measured, reference)
	if err != nil {
		return err
	}
	if f.speed > 0 {
		for i := range c.Speeds {
			c.Speeds[i] = f.speed
		}
	}
	machine := ""
	if f.run != "" { // this machine is the reference
		if machine, err = os.Hostname(); err == nil {
			c.OwnSpeeds(machine)
		}
		if c.Signature, err = signature.Measure(ctx); err != nil {
			return err
		}
	}
	sizes, err := c.Check(ctx, measured)
	if err != nil {
		return err
	}
	if err := writePlatform(f.output, c, f.nodes); err != nil {
		return err
	}
	middle, worst := calibrate.Summary(sizes)
	four, err := c.LogGP(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(calibrated{c, sizes, middle, worst, four})
	}
	a.tellCalibration(c, sizes, four, f.output, machine)
	return nil
}

// measureNetwork runs the ping-pong program, or reads what it printed earlier;
// then the first rank's processor is the reference.
func (a *app) measureNetwork(ctx context.Context, f calibrateFlags) (*calibrate.Measurement, calibrate.Rounds, error) {
	if f.from != "" {
		file, err := os.Open(f.from)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		m, err := calibrate.Read(file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.from, err)
		}
		return m, m.Kernels[0], nil
	}
	dir, err := scratch.Dir("calibrate")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	binary, err := calibrate.Build(ctx, dir, f.compiler)
	if err != nil {
		return nil, nil, err
	}
	var reference calibrate.Rounds
	if f.speed == 0 {
		if reference, err = calibrate.Reference(ctx, binary); err != nil {
			return nil, nil, err
		}
	}
	var raw io.Writer
	if f.raw != "" {
		file, err := os.Create(f.raw)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		raw = file
	}
	m, err := calibrate.Measure(ctx, f.run, binary, calibrate.Limits{Largest: f.largest, Budget: f.budget}, raw)
	if err != nil {
		return nil, nil, err
	}
	if f.crowd != "" {
		if err := m.MeasureCrowd(ctx, f.crowd, binary, calibrate.Limits{Largest: f.largest}, raw); err != nil {
			return nil, nil, err
		}
	}
	if f.speed > 0 {
		return m, m.Kernels[0], nil // of no account
	}
	// Again at the end, so that a machine that became faster or slower meanwhile
	// is seen on both sides.
	again, err := calibrate.Reference(ctx, binary)
	for name, seconds := range again {
		reference[name] = append(reference[name], seconds...)
	}
	return m, reference, err
}

func writePlatform(name string, c *calibrate.Calibration, nodes int) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	write := c.WriteXML
	if filepath.Ext(name) == ".toml" {
		write = c.WriteTOML
	}
	if err := write(file, nodes); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

func (a *app) tellCalibration(c *calibrate.Calibration, sizes []calibrate.Compared, four simulate.LogGP, output, machine string) {
	p := a.page()
	middle, worst := calibrate.Summary(sizes)
	p.Paragraph(fmt.Sprintf("%s: latency %.1f µs, bandwidth %.1f MB/s; sends of %d bytes or more last until their receiver is in MPI.", betweenWhom(c.Hosts), c.Latency*1e6, c.Bandwidth/1e6, c.EagerBelow))
	p.Paragraph(fmt.Sprintf("In LogGP's terms: L %.1f µs, o %.2f µs, g %.2f µs, G %.3f ns a byte.", four.Latency*1e6, four.Overhead*1e6, four.Gap*1e6, four.PerByte*1e9))
	if c.Loopback != nil {
		p.Line("Inside a host: latency %.1f µs, bandwidth %.1f MB/s.", c.Loopback.Latency*1e6, c.Loopback.Bandwidth/1e6)
	}
	if c.Backbone > 0 {
		p.Paragraph(fmt.Sprintf("Many ranks at once hinder each other: all together they send at most %.1f MB/s.", c.Backbone/1e6))
	}
	if c.Spread > 0.1 {
		p.Paragraph(fmt.Sprintf("Pairs of hosts differ by up to %.0f %% from the typical pair; the platform treats them all as equal.", 100*c.Spread))
	}
	if c.Scatter > 0.05 {
		p.Paragraph(fmt.Sprintf("Small messages took %.0f %% more or less from one second to the next; predictions of programs that wait for many allow for that.", 100*c.Scatter))
	}
	for rank := range c.Speeds {
		p.Line("%s", speedWords(c, rank, machine))
	}
	p.Paragraph(fmt.Sprintf("The replayed ping-pong is off by %.1f %% in the middle of the %d sizes and by %.1f %% at worst: %s.", 100*middle, len(sizes), 100*worst, goodness(middle, worst)))
	p.Line("Written to %s.", output)
}

// betweenWhom names those whose messages were measured.
func betweenWhom(hosts []string) string {
	if len(hosts) == 0 || slices.ContainsFunc(hosts, func(h string) bool { return h != hosts[0] }) {
		return "Between hosts"
	}
	return fmt.Sprintf("Between ranks of one host (%s), which the platform has between hosts", hosts[0])
}

// speedWords says how fast a rank's processor is. One on this machine is this one: where
// it was slower, it had less of it.
func speedWords(c *calibrate.Calibration, rank int, machine string) string {
	if speed := c.Speeds[rank]; c.Hosts[rank] != machine || speed == 1 {
		return fmt.Sprintf("The processor of rank %d (%s) runs at %.2f times the speed of this one.", rank, c.Hosts[rank], speed)
	}
	return fmt.Sprintf("Rank %d was on this machine (%s) and ran at %.2f times the speed of the reference there: it has a share of the machine only, or others used it meanwhile. The platform's hosts have that speed; if it was others, measure again when it is quiet.",
		rank, c.Hosts[rank], c.Speeds[rank])
}

// goodness puts the errors of a fit into words.
func goodness(middle, worst float64) string {
	switch {
	case middle <= 0.03 && worst <= 0.15:
		return "a good fit"
	case middle <= 0.1:
		return "a fair fit"
	}
	return "a poor fit; the network was busy, or pairs differ: measure again when it is quiet"
}
