// Package web shows a store in the browser: a JSON API under /api/v1, the page
// that draws it, and the same page with its answers inside as one file.
//
//  1. New makes a Server for a store; its Handler checks every request and
//     answers it; Serve listens until it is told to stop.
//  2. An endpoint is a function from a question to a plain struct, most often
//     one of package analyze's results. The table in routes.go lists them all,
//     docs/api.md describes them, page/src/api.ts has their types.
//  3. WriteReport asks the same endpoints and writes their answers into one
//     file together with the page.
//
// Experiments never change, so answers are kept, in bounded memory, and given
// again (keep.go, answers.go). What may be asked by whom is decided in one
// place, guard.go.
package web
