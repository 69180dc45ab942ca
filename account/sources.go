package account

import "embed"

// Sources are the files of this package: what was worked out by other ones does
// not hold for these.
//
//go:embed *.go
var Sources embed.FS
