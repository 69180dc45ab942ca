package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/perfql"
	"auspex/site"
	"auspex/store"
)

func (a *app) siteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "site",
		GroupID: "store",
		Short:   "Ask a site's store: a region over months, node-hours lost, the day's digest",
		Long: `Ask what only a site can ask. The site is --store clickhouse://HOST/DATABASE or
$AUSPEX_SITE. See docs/site.md.`,
		Args: exactly(0, "query, history, lost, digest or gc"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.siteQuery(), a.siteHistory(), a.siteLost(), a.siteDigest(), a.siteCollect())
	return cmd
}

// askedSite is the site of --store, or that of the environment.
func (a *app) askedSite() (*site.Site, error) {
	if a.site != nil {
		return a.site, nil
	}
	if place := os.Getenv(siteVariable); place != "" {
		return site.Open(place)
	}
	return nil, usagef("no site: give --store clickhouse://HOST/DATABASE, or set $%s", siteVariable)
}

func (a *app) siteQuery() *cobra.Command {
	var flags wordFlags
	var program string
	var days, top int
	cmd := &cobra.Command{
		Use:     "query QUERY",
		Short:   "Search the regions, or the units, of all experiments of a site with one PERFQL query",
		Example: `  auspex site query 'time_share is high AND imbalance is very high LIMIT 20' --program solver`,
		Args:    exactly(1, "a query"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.askedSite()
			if err != nil {
				return err
			}
			words, err := flags.words()
			if err != nil {
				return err
			}
			q, err := perfql.Parse(args[0])
			if err != nil {
				return err
			}
			id, err := s.Newest(cmd.Context(), program)
			if err != nil {
				return err
			}
			e, err := store.OpenRemote(s).Get(id)
			if err != nil {
				return err
			}
			like, err := analyze.Open(e)
			if err != nil {
				return err
			}
			answer, err := analyze.QueryEverywhere(cmd.Context(), site.Gathered{Site: s, Program: program, Since: time.Now().AddDate(0, 0, -days)}, q, words, like)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(answer)
			}
			a.page().Answer(answer, top)
			return nil
		},
	}
	cmd.Flags().StringVar(&program, "program", "", "only the runs of this program")
	cmd.Flags().IntVar(&days, "days", 365, "runs of the last N days")
	topFlag(cmd, &top, 15, "how many rows to print")
	flags.register(cmd)
	return cmd
}

func (a *app) siteHistory() *cobra.Command {
	var metric string
	var units, top int
	cmd := &cobra.Command{
		Use:     "history PROGRAM REGION",
		Short:   "A region's time over a program's runs, and which commit or module changed it",
		Example: `  auspex site history solver loop@241 --store clickhouse://db.site.org/auspex`,
		Args:    exactly(2, "a program and a region"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.askedSite()
			if err != nil {
				return err
			}
			h, err := s.History(cmd.Context(), args[0], args[1], metric, units)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(h)
			}
			a.page().SiteHistory(h, top)
			return nil
		},
	}
	cmd.Flags().StringVar(&metric, "metric", site.DefaultMetric, "the metric's column")
	cmd.Flags().IntVar(&units, "units", 0, "runs with N units (default: the number most runs have)")
	topFlag(cmd, &top, 15, "how many rows to print")
	return cmd
}

func (a *app) siteLost() *cobra.Command {
	var by, user string
	var days, top int
	cmd := &cobra.Command{
		Use:   "lost",
		Short: "Who loses most node-hours to communication, waiting and idle processors",
		Example: `  auspex site lost --days 30
  auspex site lost --user $USER`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.askedSite()
			if err != nil {
				return err
			}
			if by != "program" && by != "user" {
				return usagef("--by is program or user, not %q", by)
			}
			losses, err := s.Losses(cmd.Context(), by, user, time.Now().AddDate(0, 0, -days), time.Now().Add(time.Hour))
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"by": by, "losses": losses})
			}
			a.page().SiteLosses(by, losses, top)
			return nil
		},
	}
	cmd.Flags().StringVar(&by, "by", "program", "program or user")
	offer(cmd, "by", "program", "user")
	cmd.Flags().StringVar(&user, "user", "", "only the runs of this user")
	cmd.Flags().IntVar(&days, "days", 30, "runs of the last N days")
	topFlag(cmd, &top, 15, "how many rows to print")
	return cmd
}

func (a *app) siteDigest() *cobra.Command {
	var until string
	var top int
	cmd := &cobra.Command{
		Use:     "digest",
		Short:   "The last day in words: what ran, what lost most, what became slower",
		Example: `  auspex site digest`,
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.askedSite()
			if err != nil {
				return err
			}
			to := time.Now()
			if until != "" {
				if to, err = time.Parse(time.RFC3339, until); err != nil {
					return usagef("--until %q: write a time such as 2026-11-16T06:00:00Z", until)
				}
			}
			d, err := s.Digest(cmd.Context(), to.UTC())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(d)
			}
			a.page().SiteDigest(d, top)
			return nil
		},
	}
	cmd.Flags().StringVar(&until, "until", "", "the day that ends at this `TIME` (default: now)")
	topFlag(cmd, &top, 15, "how many rows to print")
	return cmd
}

func (a *app) siteCollect() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:     "gc",
		Short:   "Remove what pushes left that were broken off more than a day ago",
		Example: `  auspex site gc --store clickhouse://db.site.org/auspex`,
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.askedSite()
			if err != nil {
				return err
			}
			left, err := s.Collect(cmd.Context(), !dryRun)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(left)
			}
			did := "removed"
			if dryRun {
				did = "would remove"
			}
			a.page().Line("%s %d rows of %d broken pushes", did, left.Rows, left.Pushes)
			return nil
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "count it and remove nothing")
	return cmd
}

// siteBaseline is last month's run at the site that an experiment is held
// against.
func (a *app) siteBaseline(ctx context.Context, d *analyze.Dataset) (*analyze.Dataset, error) {
	s, err := a.askedSite()
	if err != nil {
		return nil, err
	}
	id, _, err := s.Baseline(ctx, d.Program, len(d.Units), d.Created, d.Name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("%w; push some runs first", err)
	}
	if err != nil {
		return nil, err
	}
	e, err := store.OpenRemote(s).Get(id)
	if err != nil {
		return nil, err
	}
	return analyze.Open(e)
}
