// Command auspex tells where a parallel program's time goes, why, and how
// long it would take elsewhere.
package main

import (
	"os"

	"auspex/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
