package report

import (
	"fmt"

	"auspex/model"
	"auspex/site"
)

// SiteHistory writes a region's time over runs.
func (p *Page) SiteHistory(h *site.History, top int) {
	p.Paragraph(h.Words)
	if len(h.Points) == 0 {
		return
	}
	p.Heading("Runs")
	var rows [][]string
	first := 0
	if top > 0 && len(h.Points) > top {
		first = len(h.Points) - top
		p.Line("the last %d of %d; --top 0 shows all", top, len(h.Points))
	}
	for _, point := range h.Points[first:] {
		rows = append(rows, []string{point.Started.Format("2006-01-02 15:04"), model.CleanText(point.Name), fmt.Sprintf("%.4g", point.Seconds), model.CleanText(point.Commit), model.CleanText(point.Module)})
	}
	p.table([]column{words("started"), region("name"), number("s a unit"), words("commit"), words("module")}, rows)
}

// SiteLosses writes who loses most node-hours.
func (p *Page) SiteLosses(by string, losses []site.Loss, top int) {
	if len(losses) == 0 {
		p.Paragraph("No run with exclusive times was pushed that started in this time.")
		return
	}
	var rows [][]string
	for i, l := range losses {
		if top > 0 && i == top {
			break
		}
		who := model.CleanText(l.Who)
		if who == "" {
			who = "(unknown)"
		}
		rows = append(rows, []string{who, fmt.Sprint(l.Runs), shortest(l.NodeHours), shortest(l.Lost), fmt.Sprintf("%.1f %%", 100*l.Share)})
	}
	p.table([]column{region(by), number("runs"), number("node-hours"), number("lost"), number("share")}, rows)
}

// SiteDigest writes a day at a site.
func (p *Page) SiteDigest(d *site.Digest, top int) {
	p.Line("%s to %s", d.From.Format("2006-01-02 15:04"), d.To.Format("2006-01-02 15:04"))
	p.Paragraph(d.Words)
	if len(d.Losses) > 0 {
		p.Heading("Node-hours")
		p.SiteLosses("program", d.Losses, top)
	}
}
