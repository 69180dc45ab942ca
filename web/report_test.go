package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func writeReport(t *testing.T, s *Server, names ...string) (document string, answers map[string]json.RawMessage) {
	t.Helper()
	var b bytes.Buffer
	notes, err := s.WriteReport(context.Background(), &b, names)
	if err != nil || len(notes) > 0 {
		t.Fatalf("%v, %q", err, notes)
	}
	found := regexp.MustCompile(`(?s)<script type="application/json" id="auspex-data">(.*?)</script>`).FindStringSubmatch(b.String())
	if found == nil {
		t.Fatal("the report holds no data")
	}
	var data struct{ Answers map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(found[1]), &data); err != nil {
		t.Fatal(err)
	}
	return b.String(), data.Answers
}

// A report holds what the server answers, byte for byte.
func TestReportHoldsTheAnswers(t *testing.T) {
	l := contractServer(t)
	_, answers := writeReport(t, l.server, "unbalanced", "balanced", "sampled", "guess", "replay")
	for path, answer := range answers {
		if strings.HasSuffix(path, "/about") || strings.HasSuffix(path, "/experiments") || strings.HasSuffix(path, "/simulations") {
			continue // made for the report
		}
		asked := path
		switch {
		case strings.Contains(path, "/heatmap"):
			asked = withLayout(path, heatmapLayout)
		case strings.Contains(path, "/timeline"):
			asked = withLayout(path, timelineLayout)
		}
		status, _, text := l.send("GET", asked, "")
		if status != 200 || strings.TrimSpace(text) != string(answer) {
			t.Errorf("%s: %d, and the report holds %.200s", path, status, answer)
		}
	}
	for _, want := range []string{
		"/api/v1/about", "/api/v1/experiments", "/api/v1/experiments/unbalanced/diagnose?details=true",
		"/api/v1/compare?a=unbalanced&b=balanced", "/api/v1/similar?experiment=unbalanced&experiment=balanced&experiment=sampled",
		"/api/v1/experiments/sampled/source?file=main.c", "/api/v1/predictions/guess", "/api/v1/simulations/replay/timeline",
		"/api/v1/simulations/guess%20site1%20np%3D2%20-O3",
	} {
		if answers[want] == nil {
			t.Errorf("the report has no %s", want)
		}
	}
	var listing struct {
		Experiments []struct{ Name string }
		Problems    []string
	}
	if err := json.Unmarshal(answers["/api/v1/experiments"], &listing); err != nil || len(listing.Experiments) != 3 || listing.Experiments[0].Name != "unbalanced" || listing.Problems == nil {
		t.Errorf("the listing is %s, %v", answers["/api/v1/experiments"], err)
	}
}

func withLayout(path string, layout url.Values) string {
	if strings.Contains(path, "?") {
		return path + "&" + layout.Encode()
	}
	return path + "?" + layout.Encode()
}

// Only the page's own script may run: the policy knows it by its hash, and
// names that look like markup stay data.
func TestReportIsSafe(t *testing.T) {
	s, err := New(Config{Store: testStore(t), Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	document, _ := writeReport(t, s, evilName, "unbalanced")
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(document)
	if policy == nil || strings.Index(document, policy[0]) > strings.Index(document, "<style>") {
		t.Fatal("no policy before the first style")
	}
	for kind, element := range map[string]string{"script-src": `(?s)<script>(.*?)</script>`, "style-src": `(?s)<style>(.*?)</style>`} {
		inline := regexp.MustCompile(element).FindAllStringSubmatch(document, -1)
		if len(inline) != 1 {
			t.Fatalf("%d elements %s", len(inline), element)
		}
		sum := sha256.Sum256([]byte(inline[0][1]))
		if want := kind + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy[1], want) {
			t.Errorf("the policy %s does not have %s", policy[1], want)
		}
	}
	if !strings.Contains(policy[1], "default-src 'none'") || strings.Contains(policy[1], "connect-src") {
		t.Errorf("the policy %s lets the report reach out", policy[1])
	}
	if n := strings.Count(document, "<script"); n != 2 {
		t.Errorf("%d scripts, not data and page", n)
	}
	for _, outside := range []string{`src="app.js"`, `href="app.css"`, "<img", "@import"} {
		if strings.Contains(document[:strings.Index(document, "<script>")], outside) {
			t.Errorf("the report has %s", outside)
		}
	}
	if _, err := s.WriteReport(context.Background(), &bytes.Buffer{}, []string{"nothing"}); err == nil || !strings.Contains(err.Error(), "no experiment") {
		t.Errorf("a report of nothing: %v", err)
	}
}

// The page looks answers up by address, so both sides must write one alike.
// These are what JavaScript's encodeURIComponent and URLSearchParams give.
func TestAddressesAreThoseOfThePage(t *testing.T) {
	for name, want := range map[string]string{
		"plain":     "plain",
		"two words": "two%20words",
		"a/b?c#d%e": "a%2Fb%3Fc%23d%25e",
		"-_.!~*'()": "-_.!~*'()",
		"é+&=@:$,;": "%C3%A9%2B%26%3D%40%3A%24%2C%3B",
		evilName:    "%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%3C!--%20%22'%26",
	} {
		if got := escapeSegment(name); got != want {
			t.Errorf("%q becomes %s, not %s", name, got, want)
		}
	}
	got := address("/x", url.Values{"b": {"two words", "-_.!~*'()"}, "a": {"é+/"}})
	if want := "/api/v1/x?a=%C3%A9%2B%2F&b=two+words&b=-_.%21%7E*%27%28%29"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	// The parameters that only say how much fits the screen are told twice.
	source, err := os.ReadFile(filepath.Join("page", "src", "api.ts"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), `const layout = new Set(["rows", "cols"]);`) {
		t.Error("page/src/api.ts leaves other parameters out of an address than a report does")
	}
}
