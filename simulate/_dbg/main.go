package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"auspex/platform"
	"auspex/simulate"
	"auspex/trace"
)

type tl struct{}

func (tl) Action(rank int, kind trace.Kind, b, e float64) {
	fmt.Printf("%.15f|%d|%s\n", e, rank, kind)
}

func main() {
	dir := os.Args[1]
	np, _ := strconv.Atoi(os.Args[2])
	o := simulate.Defaults()
	var hooks simulate.Hooks
	t0 := time.Now()
	pf, _ := os.Open(filepath.Join(dir, "platform.xml"))
	p, err := platform.Read("platform.xml", pf)
	if err != nil {
		panic(err)
	}
	hf, _ := os.Open(filepath.Join(dir, "hostfile"))
	slots, err := platform.ReadHostfile("hostfile", hf, p)
	if err != nil {
		panic(err)
	}
	prof := ""
	for _, a := range os.Args[3:] {
		if a == "-t" {
			hooks.Timeline = tl{}
			continue
		}
		if strings.HasPrefix(a, "-p") {
			prof = a[2:]
			continue
		}
		k, v, _ := strings.Cut(strings.TrimPrefix(a, "--cfg="), ":")
		if err := o.Set(k, v); err != nil {
			panic(err)
		}
	}
	t1 := time.Now()
	if prof != "" {
		f, _ := os.Create(prof)
		pprof.StartCPUProfile(f)
	}
	name := filepath.Join(dir, "list.txt")
	if _, err := os.Stat(filepath.Join(dir, "bin")); err == nil {
		name = filepath.Join(dir, "bin")
	}
	tr, err := trace.Open(context.Background(), name, np)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	t2 := time.Now()
	size := 0
	for i := range tr.Programs {
		size += tr.Programs[i].Size()
	}
	r, err := simulate.Run(context.Background(), tr, p, platform.Map(slots, tr.NP()), o, hooks)
	if prof != "" {
		pprof.StopCPUProfile()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	st, _ := os.ReadFile("/proc/self/status")
	hwm := ""
	for _, l := range strings.Split(string(st), "\n") {
		if strings.HasPrefix(l, "VmHWM") {
			hwm = l
		}
	}
	fmt.Printf("%.15f actions %d platform %.3f read %.3f (%d bytes) run %.3f total %.3f %s\n", r.Seconds, r.Actions, t1.Sub(t0).Seconds(), t2.Sub(t1).Seconds(), size, time.Since(t2).Seconds(), time.Since(t0).Seconds(), hwm)
}
