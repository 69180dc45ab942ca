package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"auspex/web"
)

type serveFlags struct {
	address, host string
	port          int
	tokenFile     string
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
  auspex serve --port 8765 --token-file ~/.auspex-token --no-open --source ~/src/heat`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.address, "addr", "127.0.0.1:0", "`HOST:PORT` to listen on; port 0 takes a free one")
	cmd.Flags().IntVar(&f.port, "port", 0, "port to listen on, instead of the one in --addr")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "`FILE` that keeps the token, so that the address stays the same after a restart; made where it is missing")
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
	if f.port < 0 || f.port > 65535 {
		return usagef("--port %d is no port: those are 0 (a free one) to 65535", f.port)
	}
	if f.port != 0 {
		port = strconv.Itoa(f.port)
	}
	token, err := keptToken(f.tokenFile)
	if err != nil {
		return err
	}
	loopback := isLoopback(host)
	if !loopback && f.host == "" {
		return usagef("%s can be reached from other machines; say --host %s as well if that is meant", f.address, host)
	}
	config := web.Config{Store: a.openStore(), Version: version, Sources: f.sources, Token: token, Loopback: loopback, Hosts: []string{host}, Defects: a.err}
	if cache, err := os.UserCacheDir(); err == nil {
		config.Cache = filepath.Join(cache, "auspex", "answers")
	}
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
	heapLimit.Store(serverHeap)
	return server.Serve(ctx, listener)
}

// keptToken reads the token of a file, or makes one and keeps it there for the
// owner alone.
func keptToken(file string) (string, error) {
	if file == "" {
		return web.NewToken(), nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		token := web.NewToken()
		return token, os.WriteFile(file, []byte(token+"\n"), 0o600)
	}
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	if len(token) < 16 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("&#%+\";,", r) }) {
		return "", fmt.Errorf("%s holds no token: it needs 16 letters or digits and more on one line; remove the file and one is made", file)
	}
	return token, nil
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
