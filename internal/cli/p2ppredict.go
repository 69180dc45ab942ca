package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"auspex/internal/vcluster"
	"auspex/p2psap"
	"auspex/report"
	"auspex/simulate/peers"
)

type p2pPredictFlags struct {
	build, run        string
	peers             int
	measured, real    []string
	measuredOn        string
	clusters, scheme  string
	compute           time.Duration
	bytes, state      int64
	steps, every      int
	coupling, queue   float64
	coupled           bool // by the user
	failures, restart time.Duration
	replays, cores    int
	seed              uint64
}

func (a *app) p2pPredict() *cobra.Command {
	var f p2pPredictFlags
	cmd := &cobra.Command{
		Use:   "predict [flags] PLATFORM",
		Short: "Predict how long a P2PSAP program takes on a platform, by scheme, with peers that fail",
		Long: `Predict the run time of a program of peers on a platform. What it does comes from
profiles of real runs (auspex p2p run --profile), from a run here (--run), or is
described by flags as a chain of peers that exchange messages with those beside
them. As the number of iterations depends on how old messages are, the replay
iterates a model of convergence: its rate is that of a measured synchronous run,
and --coupling says how much peers depend on one another, unless a measured
asynchronous run shows it to be otherwise. What handing over a message takes is
fitted to the synchronous run.`,
		Example: `  auspex p2p run -n 4 --clusters 2,2 --profile sync.json ./solver
  auspex p2p predict --measured sync.json two.toml
  auspex p2p predict --build 'auspex p2p cc gcc -O2 -o solver solver.c -lm' --run './solver 40' -n 4 --clusters 2,2 two.toml
  auspex p2p predict --clusters 32,32 --compute 5ms --bytes 18432 --steps 800 adsl.toml
  auspex p2p predict --measured sync.json --failures 1h --restart 5s --every 10 --state 2000000 --replays 1000 two.toml`,
		Args: exactly(1, "a platform file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.coupled = cmd.Flags().Changed("coupling")
			return a.runP2PPredict(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().StringVar(&f.build, "build", "", "command that builds the program, run before --run")
	cmd.Flags().StringVar(&f.run, "run", "", "command that starts a peer: a synchronous run of -n peers here gives the program and its iterations")
	cmd.Flags().IntVarP(&f.peers, "peers", "n", 0, "number of peers of --run (default: those of --clusters)")
	cmd.Flags().StringArrayVar(&f.measured, "measured", nil, "profile `FILE` of a real run; one of a synchronous run gives the program and its iterations; a scheme that was measured itself is predicted from its own run, of several from their medians; repeatable")
	cmd.Flags().StringVar(&f.measuredOn, "measured-on", "", "platform `FILE` on which they were measured (default: the one predicted for)")
	cmd.Flags().StringArrayVar(&f.real, "real", nil, "profile `FILE` of a real run on PLATFORM, against which the prediction is held; repeatable")
	cmd.Flags().StringVar(&f.clusters, "clusters", "", "how many peers each cluster has (with --measured: as measured; with --run, default: one cluster)")
	cmd.Flags().StringVar(&f.scheme, "scheme", "", "one scheme only (default: all three)")
	offer(cmd, "scheme", "synchronous", "asynchronous", "hybrid")
	cmd.Flags().DurationVar(&f.compute, "compute", 0, "computing of a peer in an iteration, where nothing is measured")
	cmd.Flags().Int64Var(&f.bytes, "bytes", 0, "bytes of a message to the peer before and to the one after")
	cmd.Flags().IntVar(&f.steps, "steps", 0, "iterations that a synchronous run takes (default: as measured)")
	cmd.Flags().Float64Var(&f.coupling, "coupling", usualCoupling, "how much of a peer's error comes from its neighbours', from 0 to 1; if it is not given and a measured asynchronous run contradicts the default, it is found from that run")
	cmd.Flags().Float64Var(&f.queue, "queue", 64<<10, "bytes that may wait for a link before what may be lost is lost; 0 for any number")
	cmd.Flags().DurationVar(&f.failures, "failures", 0, "mean time after which a peer fails (default: never)")
	cmd.Flags().DurationVar(&f.restart, "restart", 5*time.Second, "time until a failed peer is replaced")
	cmd.Flags().IntVar(&f.every, "every", 0, "iterations between checkpoints")
	cmd.Flags().Int64Var(&f.state, "state", 0, "bytes of a checkpoint")
	cmd.Flags().IntVar(&f.replays, "replays", 1, "replay N times with different failures: mean and spread")
	cmd.Flags().IntVar(&f.cores, "cores", 0, "the hosts are a lab's, here and where profiles were measured, and share the `N` cores of one machine (default: each host has its own)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "of the failures")
	return cmd
}

// p2pPrediction is what the command prints with --json.
type p2pPrediction struct {
	Platform string               `json:"platform"`
	Peers    int                  `json:"peers"`
	Clusters []int                `json:"clusters"`
	Steps    int                  `json:"steps"`
	Schemes  []p2pPredictedScheme `json:"schemes"`
	Fastest  *string              `json:"fastest"` // nil where they are too close to call
	Sure     float64              `json:"sure"`    // probability that the scheme of the shortest prediction is the fastest
	Close    []string             `json:"close"`   // those that may be, unless one surely is
	Named    *string              `json:"named"`   // with real runs: right, wrong or too close to call
	Notes    []string             `json:"notes"`
}

type p2pPredictedScheme struct {
	Scheme     string        `json:"scheme"`
	Seconds    float64       `json:"seconds"`
	Coupling   float64       `json:"coupling"`
	Delay      float64       `json:"delay"`
	Iterations float64       `json:"iterations"`
	Waiting    float64       `json:"waiting"`
	Votes      int           `json:"votes"` // how often peers froze and voted
	Overtaken  int64         `json:"overtaken"`
	Lost       int64         `json:"lost"`
	Spread     *peers.Spread `json:"spread"`
	Real       *p2pReal      `json:"real"`
}

func (a *app) runP2PPredict(ctx context.Context, file string, f p2pPredictFlags) error {
	site, err := readPlatform(file)
	if err != nil {
		return err
	}
	o := peers.Options{Platform: site, Queue: f.queue, Seed: f.seed, Cores: f.cores, Churn: peers.Churn{Mean: f.failures.Seconds(), Restart: f.restart.Seconds()}}
	if f.cores > 0 {
		o.Burst = vcluster.Burst
	}
	if f.replays < 1 || f.failures < 0 || f.restart < 0 || f.every < 0 || f.state < 0 || f.queue < 0 || f.cores < 0 {
		return usagef("--replays needs a number from 1 on, times and sizes must not be negative")
	}
	c, err := a.p2pProgram(ctx, &f, &o)
	if err != nil {
		return err
	}
	program := c.of(p2psap.Synchronous).program
	out := p2pPrediction{Platform: file, Peers: len(program.Peer), Clusters: program.Clusters, Steps: program.Steps, Close: []string{},
		Notes: append(c.notes, "how many iterations asynchronous peers make is by a model of convergence, not by a trace")}
	if f.cores == 0 && peers.Crowded(site, out.Peers) {
		out.Notes = append(out.Notes, fmt.Sprintf("there are more peers than cores on a host: of %s on %s those that compute on a host at one time have its cores in equal parts", report.Counted(out.Peers, "peer"), report.Counted(len(site.Hosts), "host")))
	}
	schemes := []p2psap.Scheme{p2psap.Synchronous, p2psap.Asynchronous, p2psap.Hybrid}
	if f.scheme != "" {
		one, err := p2psap.ParseScheme(f.scheme)
		if err != nil {
			return usageError{err}
		}
		schemes = []p2psap.Scheme{one}
	}
	for _, scheme := range schemes {
		fitted := c.of(scheme)
		o.Delay = fitted.delay
		p, err := predictScheme(ctx, fitted.program, o, f.replays)
		if err != nil {
			return fmt.Errorf("%s: %w", scheme, err)
		}
		out.Schemes = append(out.Schemes, *p)
	}
	if len(out.Schemes) > 1 && oneEach(out.Clusters) {
		out.Notes = append(out.Notes, "each cluster has one peer: the asynchronous and the hybrid scheme are the same")
	}
	out.rank()
	if err := out.compare(f.real); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(out)
	}
	return a.tellP2PPrediction(&out)
}

// turnReplays is over how many replays a prediction is taken where hosts share
// cores.
const turnReplays = 9

func predictScheme(ctx context.Context, program *peers.Program, o peers.Options, replays int) (*p2pPredictedScheme, error) {
	result, err := peers.Run(ctx, program, o)
	if err != nil {
		return nil, err
	}
	p := &p2pPredictedScheme{Scheme: program.Scheme.String(), Seconds: result.Seconds, Coupling: program.Coupling, Delay: o.Delay, Waiting: result.Waiting, Votes: result.Votes, Overtaken: result.Overtaken, Lost: result.Lost}
	for _, n := range result.Iterations {
		p.Iterations += float64(n) / float64(len(result.Iterations))
	}
	if replays == 1 && o.Cores > 0 { // whose turn it is, is chance
		spread, err := peers.Replays(ctx, program, o, turnReplays)
		if err != nil {
			return nil, err
		}
		p.Seconds = spread.Mean
	}
	if replays > 1 {
		if p.Spread, err = peers.Replays(ctx, program, o, replays); err != nil {
			return nil, err
		}
		p.Seconds = p.Spread.Mean
	}
	return p, nil
}

// usualCoupling is that of the obstacle problem.
const usualCoupling = 0.5

// p2pProgram is what is to be replayed: from a run here, from profiles, or from
// flags.
func (a *app) p2pProgram(ctx context.Context, f *p2pPredictFlags, o *peers.Options) (c *p2pCase, err error) {
	switch {
	case f.run != "" && len(f.measured) > 0:
		return nil, usagef("--run and --measured exclude each other")
	case (f.run != "" || len(f.measured) > 0) && (f.compute != 0 || f.bytes != 0):
		return nil, usagef("--compute and --bytes describe peers that are not measured: they do not go with --run or --measured")
	case f.run == "" && (f.build != "" || f.peers != 0):
		return nil, usagef("--build and -n go with --run")
	case f.run != "":
		c, err = a.p2pRunHere(ctx, f)
	case len(f.measured) > 0:
		c, err = f.fitted(ctx, o)
	default:
		c, err = f.described()
	}
	if err != nil {
		return nil, err
	}
	for _, fitted := range c.programs {
		fitted.program.Every, fitted.program.State = f.every, f.state
		fitted.program.Coupling = f.coupling
	}
	return c, nil
}

// described is a chain of peers by flags alone.
func (f *p2pPredictFlags) described() (*p2pCase, error) {
	switch {
	case f.compute < 0 || f.bytes < 0 || f.steps < 0:
		return nil, usagef("--compute, --bytes and --steps must not be negative")
	case f.clusters == "" || f.compute == 0 || f.steps == 0:
		return nil, usagef("predict needs --run, --measured, or --clusters, --compute, --bytes and --steps; --compute and --steps above 0")
	}
	sizes, err := clusterSizes(f.clusters)
	if err != nil {
		return nil, err
	}
	chain := peers.Chain(sizes, f.compute.Seconds(), 0, f.bytes)
	chain.Steps, chain.Coupling = f.steps, f.coupling
	return &p2pCase{programs: map[p2psap.Scheme]p2pFitted{p2psap.Synchronous: {chain, 0}}}, nil
}

func clusterSizes(text string) ([]int, error) {
	sizes, sum := []int{}, 0
	var n int
	for rest := text; rest != ""; {
		if _, err := fmt.Sscanf(rest, "%d", &n); err != nil || n < 1 {
			return nil, usagef("--clusters %q: write sizes such as 32,32", text)
		}
		sizes, sum = append(sizes, n), sum+n
		at := 0
		for at < len(rest) && rest[at] != ',' {
			at++
		}
		rest = rest[min(at+1, len(rest)):]
	}
	_, err := p2psap.ParseClusters(text, sum)
	if err != nil {
		return nil, usageError{err}
	}
	return sizes, nil
}

// fitted reads profiles and finds from them what the network does not explain. A
// scheme that was measured itself is predicted from its own run.
func (f *p2pPredictFlags) fitted(ctx context.Context, o *peers.Options) (*p2pCase, error) {
	profiles, err := f.profiles()
	if err != nil {
		return nil, err
	}
	synchronous := profiles[p2psap.Synchronous]
	if synchronous == nil {
		return nil, usagef("--measured: one of the profiles must be of a synchronous run, for its iterations")
	}
	if f.clusters != "" {
		sizes, err := clusterSizes(f.clusters)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(sizes, synchronous.Clusters) {
			return nil, usagef("--clusters %s: the peers of --measured were in clusters of %s; measure a run of those clusters, or describe one by --compute, --bytes and --steps", f.clusters, strings.Trim(strings.ReplaceAll(fmt.Sprint(synchronous.Clusters), " ", ","), "[]"))
		}
	}
	on := *o
	on.Churn = peers.Churn{}
	if f.measuredOn != "" {
		if on.Platform, err = readPlatform(f.measuredOn); err != nil {
			return nil, err
		}
	}
	o.Reference = on.Platform.Hosts[0].Speed
	on.Reference = o.Reference
	// Where peers shared cores, elapsed time is that of others too.
	shared := f.cores > 0 || peers.Crowded(on.Platform, len(synchronous.Peers))
	base := peers.FromProfile(synchronous, shared)
	if f.steps > 0 {
		base.Steps = f.steps
	}
	base.Coupling = f.coupling
	if on.Delay, err = peers.FitDelay(ctx, base, on, synchronous.Seconds); err != nil {
		return nil, err
	}
	c := &p2pCase{programs: map[p2psap.Scheme]p2pFitted{p2psap.Synchronous: {base, on.Delay}}}
	for _, scheme := range []p2psap.Scheme{p2psap.Asynchronous, p2psap.Hybrid} {
		if profiles[scheme] != nil {
			c.programs[scheme] = p2pFitted{peers.FromRun(profiles[scheme], base, shared), on.Delay}
		}
	}
	if asynchronous := profiles[p2psap.Asynchronous]; asynchronous != nil && !f.coupled {
		iterations := 0.0
		for _, peer := range asynchronous.Peers {
			iterations += float64(peer.Steps) / float64(len(asynchronous.Peers))
		}
		f.coupling, err = peers.FitCoupling(ctx, c.programs[p2psap.Asynchronous].program, on, iterations)
		if err != nil {
			return nil, fmt.Errorf("asynchronous: %w", err)
		}
		if f.coupling != usualCoupling {
			c.notes = append(c.notes, fmt.Sprintf("the measured asynchronous run shows a coupling of %.2f, not the usual %g", f.coupling, usualCoupling))
		}
	}
	return c, nil
}

// profiles reads them and makes one of all of a scheme.
func (f *p2pPredictFlags) profiles() (map[p2psap.Scheme]*p2psap.Profile, error) {
	all := map[p2psap.Scheme][]*p2psap.Profile{}
	for _, file := range f.measured {
		p, err := p2psap.ReadProfile(file)
		if err != nil {
			return nil, err
		}
		scheme, _ := p2psap.ParseScheme(p.Scheme)
		if one := all[scheme]; len(one) > 0 && !slices.Equal(one[0].Clusters, p.Clusters) {
			return nil, usagef("--measured %s: it is of clusters of %v peers, another %s one of %v", file, p.Clusters, scheme, one[0].Clusters)
		}
		all[scheme] = append(all[scheme], p)
	}
	if both := slices.Concat(all[p2psap.Asynchronous], all[p2psap.Hybrid]); len(both) > 0 && oneEach(both[0].Clusters) {
		all[p2psap.Asynchronous], all[p2psap.Hybrid] = both, slices.Clone(both)
	}
	one := map[p2psap.Scheme]*p2psap.Profile{}
	for scheme, list := range all {
		one[scheme] = typical(list)
	}
	return one, nil
}

// typical is a run of the median time, with the medians of what took time in all
// runs: the speed of a machine that others use too differs from run to run.
func typical(list []*p2psap.Profile) *p2psap.Profile {
	slices.SortFunc(list, func(a, b *p2psap.Profile) int { return cmp.Compare(a.Seconds, b.Seconds) })
	run := *list[(len(list)-1)/2]
	run.Peers = slices.Clone(run.Peers)
	for i := range run.Peers {
		for _, field := range []func(*p2psap.PeerProfile) *float64{
			func(p *p2psap.PeerProfile) *float64 { return &p.Compute },
			func(p *p2psap.PeerProfile) *float64 { return &p.CPU },
			func(p *p2psap.PeerProfile) *float64 { return &p.Calls },
			func(p *p2psap.PeerProfile) *float64 { return &p.Process },
			func(p *p2psap.PeerProfile) *float64 { return &p.Moved },
			func(p *p2psap.PeerProfile) *float64 { return &p.Overhead },
		} {
			var values []float64
			for _, other := range list {
				values = append(values, *field(&other.Peers[i]))
			}
			slices.Sort(values)
			*field(&run.Peers[i]) = values[(len(values)-1)/2]
		}
	}
	return &run
}

// p2pCase is what is to be replayed, by scheme; of a scheme that is missing, what
// the synchronous one does.
type p2pCase struct {
	programs map[p2psap.Scheme]p2pFitted
	notes    []string
}

type p2pFitted struct {
	program *peers.Program
	delay   float64
}

func (c *p2pCase) of(scheme p2psap.Scheme) p2pFitted {
	fitted, ok := c.programs[scheme]
	if !ok {
		fitted = c.programs[p2psap.Synchronous]
	}
	copied := *fitted.program
	copied.Scheme = scheme
	fitted.program = &copied
	return fitted
}

func (a *app) tellP2PPrediction(out *p2pPrediction) error {
	p := a.page()
	p.Line("%s in %s on %s; a synchronous run takes %s.", report.Counted(out.Peers, "peer"), report.Counted(len(out.Clusters), "cluster"), out.Platform, report.Counted(out.Steps, "iteration"))
	for _, s := range out.Schemes {
		line := fmt.Sprintf("  %-12s  %8.3f s  %8.0f iterations, %.3f s waiting, %d overtaken, %d lost", s.Scheme, s.Seconds, s.Iterations, s.Waiting, s.Overtaken, s.Lost)
		if s.Spread != nil {
			line = fmt.Sprintf("  %-12s  %8.3f s ± %.3f (nine of ten from %.3f to %.3f), %.1f failures", s.Scheme, s.Spread.Mean, s.Spread.Deviation, s.Spread.Low, s.Spread.High, s.Spread.Failures)
		}
		if r := s.Real; r != nil {
			line += fmt.Sprintf("; real %.3f s (%.3f to %.3f): %+.0f %%", r.Seconds, r.Low, r.High, 100*r.Off)
		}
		p.Line("%s", line)
	}
	if len(out.Schemes) > 1 {
		p.Line("%s", out.sayFastest())
	}
	for _, note := range out.Notes {
		p.Line("note: %s", note)
	}
	return nil
}

// writeProfile keeps a run's profile for predict.
func writeProfile(file string, p *p2psap.Profile) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}
