package vcluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/platform"
)

// DefaultName is the name of a lab that was given none.
const DefaultName = "lab"

const (
	netnsDir = "/run/netns"
	stateDir = "/run/auspex-lab"
)

// Host is a host of a lab that is up.
type Host struct {
	Name    string  `json:"name"`
	Address string  `json:"address"`
	Core    int     `json:"core"`
	Share   float64 `json:"share"` // of the core
}

// Lab is a network that is up.
type Lab struct {
	Name  string `json:"name"`
	Hosts []Host `json:"hosts"`
}

var (
	goodName = lazyregexp.New(`^[a-z0-9]{1,16}$`)
	goodHost = lazyregexp.New(`^[A-Za-z0-9._-]{1,63}$`)
)

// check tells why a lab cannot be built or removed here.
func check(name string) error {
	switch {
	case runtime.GOOS != "linux":
		return errors.New("lab: it is made of Linux network namespaces; this system has none")
	case os.Geteuid() != 0:
		return errors.New("lab: making network namespaces needs root")
	case !goodName.MatchString(name):
		return fmt.Errorf("lab: the name %q is not of 1 to 16 small letters and digits", name)
	}
	for _, tool := range []string{"ip", "tc", "taskset", "unshare"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("lab: %s is not installed (packages iproute2 and util-linux)", tool)
		}
	}
	return nil
}

// prefix begins the names of all namespaces and control groups of a lab.
func prefix(name string) string { return "auspex-" + name + "-" }

func (l *Lab) dir() string            { return filepath.Join(stateDir, l.Name) }
func (l *Lab) namespace(i int) string { return fmt.Sprintf("%s%d", prefix(l.Name), i) }
func (l *Lab) head() string           { return prefix(l.Name) + "head" }

// Up builds a platform's network under a name. What was built is removed again
// when building fails.
func Up(ctx context.Context, name string, p *platform.Platform) (*Lab, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	plan, err := NewPlan(p)
	if err != nil {
		return nil, err
	}
	if left, err := namespaces(name); err != nil || len(left) > 0 {
		return nil, errors.Join(err, fmt.Errorf("lab: %q is up already, or was left behind: `auspex lab down` removes it", name))
	}
	for _, h := range p.Hosts {
		if !goodHost.MatchString(h.Name) {
			return nil, fmt.Errorf("lab: %q cannot be a machine's name: letters, digits, dots and dashes can", h.Name)
		}
	}
	l := &Lab{Name: name}
	cores := runtime.NumCPU()
	for i := range plan.Hosts {
		l.Hosts = append(l.Hosts, Host{Name: plan.Nodes[i].Name, Address: address(i), Core: i % cores, Share: min(1, float64(cores)/float64(plan.Hosts))})
	}
	if err := l.build(ctx, plan); err != nil {
		return nil, errors.Join(err, Down(context.WithoutCancel(ctx), name))
	}
	return l, nil
}

func (l *Lab) build(ctx context.Context, plan *Plan) error {
	if err := os.MkdirAll(l.dir(), 0o755); err != nil {
		return err
	}
	if err := l.wire(ctx, plan); err != nil {
		return err
	}
	if err := l.limitCPU(); err != nil {
		return err
	}
	l.buildLibrary(ctx)
	if err := l.writeAgent(); err != nil {
		return err
	}
	state, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir(), "lab.json"), state, 0o644)
}

// Open finds a lab that is up.
func Open(name string) (*Lab, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	l := &Lab{Name: name}
	state, err := os.ReadFile(filepath.Join(l.dir(), "lab.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("lab: no lab %q is up; `auspex lab up PLATFORM` builds one", name)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(state, l); err != nil || l.Name != name {
		return nil, fmt.Errorf("lab: %s is damaged; `auspex lab down` removes it", filepath.Join(l.dir(), "lab.json"))
	}
	return l, nil
}

// namespaces lists those of a lab.
func namespaces(name string) ([]string, error) {
	entries, err := os.ReadDir(netnsDir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var found []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix(name)) {
			found = append(found, e.Name())
		}
	}
	slices.Sort(found)
	return found, err
}
