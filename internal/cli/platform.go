package cli

import (
	"os"

	"github.com/spf13/cobra"

	"auspex/platform"
)

func (a *app) platformCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "platform",
		GroupID: "predict",
		Short:   "Look at a platform: hosts, links and routes as they were understood",
		Args:    exactly(0, "check or route"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	check := &cobra.Command{
		Use:     "check PLATFORM",
		Short:   "Tell what was understood of a platform file",
		Example: `  auspex platform check examples/platforms/site1.xml`,
		Args:    exactly(1, "one platform file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := readPlatform(args[0])
			if err != nil {
				return err
			}
			description := platform.Describe(p)
			if a.json {
				return a.printJSON(description)
			}
			a.page().Platform(&description)
			return nil
		},
	}
	route := &cobra.Command{
		Use:     "route PLATFORM FROM TO",
		Short:   "Tell which links a message crosses from one host to another",
		Example: `  auspex platform route examples/platforms/site1.xml node-0 node-8`,
		Args:    exactly(3, "a platform file and two hosts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.printRoute(args[0], args[1], args[2])
		},
	}
	cmd.AddCommand(check, route)
	return cmd
}

func readPlatform(path string) (*platform.Platform, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return platform.Read(path, f)
}

func (a *app) printRoute(path, from, to string) error {
	p, err := readPlatform(path)
	if err != nil {
		return err
	}
	ends := [2]int{}
	for i, name := range []string{from, to} {
		host, ok := p.HostByName(name)
		if !ok {
			known := make([]string, len(p.Hosts))
			for h := range known {
				known[h] = p.Hosts[h].Name
			}
			return unknownName("host", name, path, known)
		}
		ends[i] = host
	}
	route, err := p.Route(ends[0], ends[1], nil)
	if err != nil {
		return err
	}
	type hop struct {
		Link      string  `json:"link"`
		Bandwidth float64 `json:"bandwidth"`
		Latency   float64 `json:"latency"`
		Sharing   string  `json:"sharing"`
	}
	hops := []hop{}
	for _, l := range route.Links {
		link := p.Links[l]
		hops = append(hops, hop{link.Name(), link.Bandwidth, link.Latency, link.Sharing.String()})
	}
	if a.json {
		return a.printJSON(map[string]any{"from": from, "to": to, "latency": route.Latency, "links": hops})
	}
	page := a.page()
	page.Route(from, to, p, route)
	return nil
}
