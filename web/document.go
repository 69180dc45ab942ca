package web

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"
)

// address writes a question as page/src/api.ts does, so that the page finds
// its answer.
func address(path string, params url.Values) string {
	text := "/api/v1" + path
	if len(params) > 0 {
		text += "?" + formEncoding.Replace(params.Encode()) // sorted by name
	}
	return text
}

// JavaScript's URLSearchParams and encodeURIComponent leave other signs as they
// are than Go does.
var (
	formEncoding    = strings.NewReplacer("%2A", "*", "~", "%7E")
	segmentEncoding = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")
)

func escapeSegment(name string) string { return segmentEncoding.Replace(url.QueryEscape(name)) }

// The places in the page's document that a report changes.
const (
	stylePlace  = `<link rel="stylesheet" href="app.css">`
	scriptPlace = `<script defer src="app.js"></script>`
	titlePlace  = `<title>auspex</title>`
	endPlace    = `</body>`
)

// selfContained puts styles, script and data into the page's document. Only
// these very bytes may run or style: the policy knows them by their hashes.
func (s *Server) selfContained(title string, data []byte) ([]byte, error) {
	document := string(s.bundle["index.html"].body)
	style, script := string(s.bundle["app.css"].body), string(s.bundle["app.js"].body)
	// What would end the script early is written apart; the backslash changes
	// nothing in strings and patterns.
	script = strings.ReplaceAll(script, "</script", `<\/script`)
	if strings.Contains(script, "<!--") || strings.Contains(strings.ToLower(style), "</style") {
		return nil, errors.New("web: the page's script or style sheet cannot stand inside a document")
	}
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data: blob:; base-uri 'none'; form-action 'none'",
		hashed(script), hashed(style))
	for _, place := range []string{stylePlace, scriptPlace, titlePlace, endPlace} {
		if strings.Count(document, place) != 1 {
			return nil, fmt.Errorf("web: the page's document does not have %s once", place)
		}
	}
	return []byte(strings.NewReplacer(
		stylePlace, "<meta http-equiv=\"Content-Security-Policy\" content=\""+policy+"\">\n<style>"+style+"</style>",
		scriptPlace+"\n", "",
		titlePlace, "<title>"+html.EscapeString(title)+" · auspex</title>",
		endPlace, `<script type="application/json" id="auspex-data">`+string(data)+"</script>\n<script>"+script+"</script>\n</body>",
	).Replace(document)), nil
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
