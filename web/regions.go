package web

import (
	"context"

	"auspex/analyze"
	"auspex/view"
)

// datasetBy opens the experiment of the route by path or by name: as asked, else
// by name where call paths tell too little, as the terminal does.
func (s *Server) datasetBy(q *asked) (d *analyze.Dataset, note string, err error) {
	if d, err = s.dataset(q); err != nil {
		return nil, "", err
	}
	by := q.text("by", "")
	if by != "" && by != analyze.Names && by != analyze.Paths {
		return nil, "", badf("regions are by %s or by %s, not by %q", analyze.Paths, analyze.Names, by)
	}
	return d.By(by)
}

// openedBy is datasetBy with the words to speak of it.
func (s *Server) openedBy(q *asked) (*analyze.Dataset, analyze.Words, error) {
	words, err := s.words(q.query["vocabulary"], q.query.Get("logic"))
	if err != nil {
		return nil, words, err
	}
	d, _, err := s.datasetBy(q)
	return d, words, err
}

// openAlike opens experiments that are set against each other, all by path or all
// by name, as the terminal does.
func (s *Server) openAlike(q *asked, names ...string) ([]*analyze.Dataset, string, error) {
	all, err := s.openAll(names)
	if err != nil {
		return nil, "", err
	}
	alike, note, err := analyze.ByAll(all, q.text("by", ""))
	return alike, note, err
}

func (s *Server) regions(_ context.Context, q *asked) (any, error) {
	least, err := q.number("least", 0)
	if err != nil {
		return nil, err
	}
	top, err := q.whole("top", shownRegions)
	if err != nil {
		return nil, err
	}
	d, err := s.dataset(q)
	if err != nil {
		return nil, err
	}
	nodes, metric, err := analyze.Tree(d, q.text("metric", ""), least)
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": d.Name, "metric": metric, "total": len(nodes), "tree": view.HeaviestNodes(nodes, top)}, nil
}

func (s *Server) regionTable(_ context.Context, q *asked) (any, error) {
	top, err := q.whole("top", shownRows)
	if err != nil {
		return nil, err
	}
	d, note, err := s.datasetBy(q)
	if err != nil {
		return nil, err
	}
	table, err := view.ListRegions(d, view.RegionTableOptions{Metric: q.text("metric", ""), Find: q.text("find", ""), Top: top})
	if err != nil {
		return nil, err
	}
	table.Note = note
	return table, nil
}

func (s *Server) region(_ context.Context, q *asked) (any, error) {
	paths, err := s.dataset(q)
	if err != nil {
		return nil, err
	}
	d, _, err := s.datasetBy(q)
	if err != nil {
		return nil, err
	}
	return view.DescribeRegion(d, paths, q.query.Get("region"))
}

func (s *Server) callTree(_ context.Context, q *asked) (any, error) {
	top, err := q.whole("top", shownRegions)
	if err != nil {
		return nil, err
	}
	d, err := s.dataset(q)
	if err != nil {
		return nil, err
	}
	var against *analyze.Dataset
	if name := q.query.Get("against"); name != "" {
		if against, err = s.datasets.get(name); err != nil {
			return nil, err
		}
	}
	return view.DrawCallTree(d, against, q.text("metric", ""), top)
}
