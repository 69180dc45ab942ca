package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"auspex/predict"
	"auspex/signature"
)

// takeSignature measures this machine and writes its signature; it tells of it
// where nothing else is asked for.
func (a *app) takeSignature(ctx context.Context, file string, tell bool) error {
	s, err := signature.Measure(ctx)
	if err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := s.Write(out); err != nil {
		out.Close()
		return err
	}
	if err := out.Close(); err != nil || !tell {
		return err
	}
	if a.json {
		return a.printJSON(s)
	}
	p := a.page()
	for _, kernel := range slices.Sorted(maps.Keys(s.Kernels)) {
		list := s.Kernels[kernel]
		first, last := list[0], list[len(list)-1]
		p.Paragraph(fmt.Sprintf("%s work: %.1f ms on one core, %.2f times as long with all %d busy.", strings.ToUpper(kernel[:1])+kernel[1:], 1e3*first.Seconds, last.Seconds/first.Seconds, last.Busy))
	}
	p.Line("Written to %s.", file)
	return nil
}

// signatureFlags name the signatures of two machines.
type signatureFlags struct {
	here, there, mix string
	perNode          int
}

func (f *signatureFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.there, "there", "", "signature `file` of the platform's nodes (calibrate --signature; default: the platform's own): computation is scaled by it and this machine's, in place of --reference-speed")
	flags.StringVar(&f.here, "here", "", "signature `file` of this machine (default: measured between the traces)")
	flags.StringVar(&f.mix, "mix", "", "what the program's work is made of, as in `memory=2,floating=1` (default: not known)")
	flags.IntVar(&f.perNode, "per-node", 0, "ranks that share a node there (default: those on one host)")
}

func (f *signatureFlags) read(r *predict.Request) error {
	var nodes []*signature.Signature // those that computation is scaled by
	var err error
	if f.there != "" {
		if r.There, err = readSignature(f.there); err != nil {
			return err
		}
		nodes = append(nodes, r.There)
	}
	for i := range r.Platforms {
		own, err := r.Platforms[i].Elsewhere()
		if err != nil {
			return err
		}
		if own != nil && r.There == nil {
			nodes = append(nodes, own)
		}
	}
	switch asked := f.here != "" || f.mix != "" || f.perNode != 0; {
	case asked && len(nodes) == 0:
		return usagef("--here, --mix and --per-node go with --there, or with a platform that auspex calibrate wrote on another kind of machine")
	case (asked || r.There != nil) && r.ReferenceSpeed > 0:
		return usagef("signatures take the place of --reference-speed: leave one of them out")
	case f.perNode < 0:
		return usagef("--per-node is above 0, not %d", f.perNode)
	}
	r.PerNode = f.perNode
	if f.here != "" {
		if r.Here, err = readSignature(f.here); err != nil {
			return err
		}
	}
	if f.mix == "" {
		return nil
	}
	r.Mix = signature.Mix{}
	for _, part := range strings.Split(f.mix, ",") {
		kernel, share, _ := strings.Cut(strings.TrimSpace(part), "=")
		if r.Mix[kernel], err = strconv.ParseFloat(share, 64); err != nil {
			return usagef("--mix needs kinds of work with their shares, as in memory=2,floating=1, not %q", f.mix)
		}
	}
	for _, n := range nodes {
		if _, _, err := signature.Factor(signature.Load{Signature: n, Busy: 1}, signature.Load{Signature: n, Busy: 1}, r.Mix); err != nil {
			return usagef("--mix: %v", err)
		}
	}
	return nil
}

func readSignature(name string) (*signature.Signature, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s, err := signature.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}
