package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"auspex/model"
	"auspex/site"
	"auspex/store"
)

// siteVariable names the site that is pushed to where no flag says.
const siteVariable = "AUSPEX_SITE"

func (a *app) pushCommand() *cobra.Command {
	var to string
	var all bool
	var factors []string
	cmd := &cobra.Command{
		Use:     "push EXPERIMENT… --to clickhouse://HOST/DATABASE",
		GroupID: "store",
		Short:   "Copy experiments into a site's store on ClickHouse",
		Long: `Copy experiments into a site's store. An experiment is visible there when all of
it has arrived, and the same one pushed again changes nothing. The login comes
from $AUSPEX_SITE_USER and $AUSPEX_SITE_PASSWORD, or from the file that
$AUSPEX_SITE_PASSWORD_FILE names. With --store clickhouse://… commands read a site.`,
		Example: `  auspex push solver-16 --to clickhouse://db.site.org/auspex
  auspex push --all --factor user=$USER --to clickhouse://db.site.org/auspex?secure=1`,
		ValidArgsFunction: a.completeNames,
		Args: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) != all {
				return usagef("push needs the names of experiments, or --all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				to = os.Getenv(siteVariable)
			}
			if !strings.HasPrefix(to, site.Scheme) {
				return usagef("push needs --to clickhouse://HOST/DATABASE, or $%s", siteVariable)
			}
			at, err := site.Open(to)
			if err != nil {
				return err
			}
			if all {
				if args, err = a.openStore().Names(); err != nil {
					return err
				}
			}
			return a.push(cmd.Context(), at, args, factors)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the site's `ADDRESS` (default $"+siteVariable+")")
	cmd.Flags().BoolVar(&all, "all", false, "all experiments of the store")
	cmd.Flags().StringArrayVar(&factors, "factor", nil, "factor `k=v` that they get on the way, such as user or commit; repeatable")
	return cmd
}

// pushBatch is how many experiments are read before they are sent.
const pushBatch = 200

// sent is what the command prints with --json.
type sent struct {
	Pushed  []site.Pushed `json:"pushed"`
	Values  int           `json:"values"`
	Seconds float64       `json:"seconds"`
}

func (a *app) push(ctx context.Context, to *site.Site, names, factors []string) error {
	var added []model.Factor
	for _, text := range factors {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return usagef("--factor %q: write it as name=value", text)
		}
		added = append(added, model.NewFactor(key, value))
	}
	out := sent{Pushed: []site.Pushed{}}
	start := time.Now()
	bar := a.startProgress("pushed", int64(len(names)))
	defer bar.stop()
	for len(names) > 0 {
		n := min(len(names), pushBatch)
		var items []site.Item
		for _, name := range names[:n] {
			item, err := a.pushItem(name)
			if err != nil {
				return err
			}
			for _, f := range added {
				item.Experiment.SetFactor(f)
			}
			items = append(items, item)
		}
		done, err := to.Push(ctx, items)
		out.Pushed = append(out.Pushed, done...)
		if err != nil {
			return err
		}
		bar.add(int64(n))
		names = names[n:]
	}
	bar.stop()
	out.Seconds = time.Since(start).Seconds()
	there := 0
	for _, p := range out.Pushed {
		if p.There {
			there++
			continue
		}
		out.Values += p.Values
	}
	if a.json {
		return a.printJSON(out)
	}
	switch fresh := len(out.Pushed) - there; {
	case there == 0:
		a.page().Line("pushed %s, %d values", experiments(fresh), out.Values)
	case fresh == 0:
		a.page().Line("nothing to push: the site has %s already", experiments(there))
	default:
		a.page().Line("pushed %s, %d values; %d were there already", experiments(fresh), out.Values, there)
	}
	return nil
}

// pushItem reads an experiment with what is attached to it.
func (a *app) pushItem(name string) (site.Item, error) {
	e, err := a.experiment(name)
	if err != nil {
		return site.Item{}, err
	}
	whole, err := e.Load()
	if err != nil {
		return site.Item{}, err
	}
	item := site.Item{Experiment: whole}
	for _, file := range e.Attached() {
		data, err := e.Attachment(file)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return site.Item{}, err
		}
		item.Attached = append(item.Attached, store.Attachment{Name: file, Data: data})
	}
	return item, nil
}

func experiments(n int) string {
	if n == 1 {
		return "1 experiment"
	}
	return fmt.Sprintf("%d experiments", n)
}
