// Package site keeps the experiments of a whole centre in ClickHouse, over its
// HTTP interface. ClickHouse 24.12 or newer is wanted.
//
//  1. Open reads an address such as clickhouse://host/db and finds the login.
//  2. Site.Push writes experiments: all their rows first and the row that makes
//     them visible last, so that half a push is never seen. The same experiment
//     pushed again changes nothing.
//  3. Site is a store.Remote: everything that reads a store reads a site.
//  4. Site.History, Site.Lost and Site.Digest answer what only a site can ask.
//
// Tables. Every push has a number of its own, which all rows of it carry; only
// the numbers in experiments count.
//
//	experiments  a row each: name, program, user, when, header, how long
//	units        push, unit, node, process, thread
//	regions      push, region, parent, name, path, kind, file, line
//	values       push, metric, unit, region, value, deviation
//	totals       program, metric, path, started, push: sums over units, for the
//	             questions about a region over months
//	attachments  push, name, data
//
// All are partitioned by program and month. Every value goes to the server as a
// parameter or in a binary body; none is ever part of a statement's text.
package site
