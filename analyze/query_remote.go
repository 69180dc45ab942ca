package analyze

import (
	"context"
	"fmt"
	"slices"

	"auspex/model"
	"auspex/perfql"
	"auspex/perfql/render"
	"auspex/store"
)

// site is where the dataset's experiment is; nil for one in files here.
func (d *Dataset) site() store.Remote {
	if e, ok := d.stored.(*store.Experiment); ok {
		return e.Remote()
	}
	return nil
}

// remoteSQL renders a query over the tables of a site; "" where it needs what is
// computed over the region tree, which is done here.
func (s *querySource) remoteSQL(b *perfql.Bound) (text string, parameters map[string]string, err error) {
	columns := b.Columns()
	if s.needsTree(columns) {
		return "", nil, nil
	}
	parameters = map[string]string{}
	dialect := render.ClickHouse(parameters)
	seconds := s.time + "." + string(model.Exclusive)
	wanted := map[string]string{}
	computed := false
	for _, c := range columns {
		if c == usefulColumn || c == communicationColumn {
			c, computed = seconds, true
		}
		wanted[c] = dialect.Name(c)
	}
	site, id := s.d.site(), s.d.ID
	from := render.Source{Dialect: dialect}
	for table, into := range map[string]*string{"values": &from.Values, "regions": &from.Regions, "units": &from.Units} {
		if *into, err = site.Table(id, table, wanted, parameters); err != nil {
			return "", nil, err
		}
	}
	if computed {
		waits, of := s.communicationSQL(), dialect.Name(seconds)
		from.Values = fmt.Sprintf("(SELECT *, CASE WHEN %s THEN 0 ELSE %s END AS %s, CASE WHEN %s THEN %s ELSE 0 END AS %s FROM %s)",
			waits, of, dialect.Name(usefulColumn), waits, of, dialect.Name(communicationColumn), from.Values)
	}
	text, err = render.SQL(b, from)
	return text, parameters, err
}

// askSite answers a query at the site.
func (s *querySource) askSite(ctx context.Context, b *perfql.Bound) ([]perfql.Row, error) {
	text, parameters, err := s.remoteSQL(b)
	if err != nil {
		return nil, err
	}
	rows, err := s.d.site().Ask(ctx, text, parameters)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found, err := render.Scan(rows, b)
	if err != nil {
		return nil, err
	}
	return slices.Clip(found), nil
}
