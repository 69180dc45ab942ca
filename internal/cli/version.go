package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// version is set by the build: see the Makefile.
var version = "development"

// versionText is the version with what it was built by and for.
func versionText() string {
	return fmt.Sprintf("%s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.json {
				return a.printJSON(map[string]string{"version": version, "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH})
			}
			a.page().Line("auspex %s", versionText())
			return nil
		},
	}
}
