package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"auspex/p2psap"
	"auspex/platform"
	"auspex/simulate/peers"
)

// p2pRunHere builds a program and runs it synchronously on this machine. Its
// iterations and messages do not depend on time; computing is taken in processor
// time, as the peers may share too few cores.
func (a *app) p2pRunHere(ctx context.Context, f *p2pPredictFlags) (*p2pCase, error) {
	sizes := []int{f.peers}
	if f.clusters != "" {
		var err error
		if sizes, err = clusterSizes(f.clusters); err != nil {
			return nil, err
		}
	}
	n := 0
	for _, size := range sizes {
		n += size
	}
	if f.peers != 0 && f.peers != n {
		return nil, usagef("--clusters %s have %d peers together, but -n says %d", f.clusters, n, f.peers)
	}
	if n < 2 || n > p2psap.MaxPeers {
		return nil, usagef("--run needs 2 to %d peers: give -n or --clusters", p2psap.MaxPeers)
	}
	if f.build != "" {
		cmd := exec.CommandContext(ctx, "sh", "-c", f.build)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = a.err, a.err, 5*time.Second
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("the build command failed (%w): %s", err, f.build)
		}
	}
	out, err := p2psap.Run(ctx, p2psap.Options{Clusters: sizes, Command: []string{"sh", "-c", f.run}, Profile: true, Out: io.Discard, Err: os.Stderr})
	if err != nil {
		return nil, fmt.Errorf("the run here: %w", err)
	}
	base := peers.FromProfile(out.Profile, false)
	for i := range base.Peer {
		base.Peer[i].Compute = out.Profile.Peers[i].CPU
	}
	if f.steps > 0 {
		base.Steps = f.steps
	}
	base.Coupling = f.coupling
	fitted := p2pFitted{program: base}
	note := fmt.Sprintf("%d peers share the %d cores of this machine: what handing over a message takes is not known, and left out", n, runtime.NumCPU())
	if n <= runtime.NumCPU() {
		note = "what handing over a message takes was measured on this machine's loopback"
		here := peers.Options{Platform: &platform.Platform{Hosts: []platform.Host{{Name: "here", Speed: 1}}}}
		if fitted.delay, err = peers.FitDelay(ctx, base, here, out.Profile.Seconds); err != nil {
			return nil, err
		}
	}
	return &p2pCase{programs: map[p2psap.Scheme]p2pFitted{p2psap.Synchronous: fitted},
		notes: []string{"computing is processor time on this machine, which is taken to be as fast as the platform's first host", note}}, nil
}
