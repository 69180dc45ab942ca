package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"auspex/web"
)

type serveFlags struct {
	address, host string
	noOpen        bool
	sources       []string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:     "serve",
		GroupID: "look",
		Short:   "Show the whole store on a page in the browser",
		Long: `Show the whole store on a page in the browser. The address is printed with a
token that nobody can guess; without it nothing is answered. The server listens
on this machine alone unless --host says otherwise.`,
		Example: `  auspex serve
  auspex serve --addr 127.0.0.1:8765 --no-open --source ~/src/heat`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.address, "addr", "127.0.0.1:0", "`HOST:PORT` to listen on; port 0 takes a free one")
	cmd.Flags().StringVar(&f.host, "host", "", "listen on this address of the machine, such as 0.0.0.0 for all: others on the network can then connect")
	cmd.Flags().BoolVar(&f.noOpen, "no-open", false, "print the address and open no browser")
	cmd.Flags().StringArrayVar(&f.sources, "source", nil, "directory whose source files may be shown (repeatable)")
	return cmd
}

func (a *app) serve(ctx context.Context, f serveFlags) error {
	host, port, err := net.SplitHostPort(f.address)
	if err != nil {
		return usagef("--addr is HOST:PORT, not %q", f.address)
	}
	if f.host != "" {
		host = f.host
	}
	loopback := isLoopback(host)
	if !loopback && f.host == "" {
		return usagef("%s can be reached from other machines; say --host %s as well if that is meant", f.address, host)
	}
	config := web.Config{Store: a.openStore(), Version: version, Sources: f.sources, Token: web.NewToken(), Loopback: loopback, Hosts: []string{host}, Defects: a.err}
	if name, err := os.Hostname(); err == nil && !loopback {
		config.Hosts = append(config.Hosts, name)
	}
	server, err := web.New(config)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	address := fmt.Sprintf("http://%s/?token=%s", net.JoinHostPort(reachable(host), port), config.Token)
	if !loopback {
		fmt.Fprintf(a.err, "auspex: everybody who can reach port %s of this machine and has the token can read the store, and what is sent is not encrypted; on a shared network an SSH tunnel to 127.0.0.1 is safer\n", port)
	}
	if a.json {
		if err := a.printJSON(map[string]any{"address": address}); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.out, address)
	}
	if !f.noOpen {
		openBrowser(ctx, address)
	}
	return server.Serve(ctx, listener)
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// reachable is a name for this machine that a browser on it can open.
func reachable(host string) string {
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return host
}

// openBrowser does its best; the address is on the terminal in any case.
func openBrowser(ctx context.Context, address string) {
	command := []string{"xdg-open", address}
	if runtime.GOOS == "darwin" {
		command[0] = "open"
	} else if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	if strings.TrimSpace(cmd.Path) == "" || cmd.Start() != nil {
		return
	}
	go cmd.Wait()
}
