package web

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWithoutTheTokenNothingIsAnswered(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	for _, path := range []string{"/", "/app.js", "/api/v1/experiments", "/api/v1/experiments?token=wrong", "/api/v1/nothing", "/?token=" + testToken + "0"} {
		if status, _, _ := l.send("GET", path, "", "Authorization", ""); status != http.StatusUnauthorized {
			t.Errorf("%s without the token: %d", path, status)
		}
	}
	for _, bearer := range []string{"Bearer", "Bearer wrong", "Basic " + testToken, testToken} {
		if status, _, _ := l.send("GET", "/api/v1/experiments", "", "Authorization", bearer); status != http.StatusUnauthorized {
			t.Errorf("Authorization: %s gives %d", bearer, status)
		}
	}
	if status, _, _ := l.send("GET", "/api/v1/experiments?token="+testToken, "", "Authorization", ""); status != http.StatusOK {
		t.Errorf("with the token in the address: %d", status)
	}
}

func TestOpeningThePageMovesTheTokenIntoACookie(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	status, header, _ := l.send("GET", "/?token="+testToken+"&view=store", "", "Authorization", "")
	cookie := header.Get("Set-Cookie")
	if status != http.StatusSeeOther || header.Get("Location") != "/?view=store" {
		t.Errorf("%d to %q: the token should leave the address", status, header.Get("Location"))
	}
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q is not %s", cookie, want)
		}
	}
	name, _, _ := strings.Cut(cookie, ";")
	if status, _, _ := l.send("GET", "/api/v1/experiments", "", "Authorization", "", "Cookie", name); status != http.StatusOK {
		t.Errorf("with the cookie: %d", status)
	}
	if status, _, _ := l.send("GET", "/api/v1/experiments", "", "Authorization", "", "Cookie", name+"0"); status != http.StatusUnauthorized {
		t.Errorf("with a wrong cookie: %d", status)
	}
}

// A page elsewhere may have its name resolve to this machine; the browser
// still sends the name.
func TestOtherNamesAreRefused(t *testing.T) {
	closed := serve(t, Config{Store: testStore(t), Loopback: true})
	open := serve(t, Config{Store: testStore(t), Hosts: []string{"cluster-7"}})
	for _, c := range []struct {
		host         string
		closed, open bool
	}{
		{"127.0.0.1:8765", true, true},
		{"localhost", true, true},
		{"LOCALHOST:1", true, true},
		{"[::1]:80", true, true},
		{"evil.example", false, false},
		{"evil.example:8765", false, false},
		{"127.0.0.1.evil.example", false, false},
		{"localhost.evil.example", false, false},
		{"192.168.1.7:8765", false, true},
		{"cluster-7:8765", false, true},
	} {
		for l, allowed := range map[*live]bool{closed: c.closed, open: c.open} {
			want := http.StatusForbidden
			if allowed {
				want = http.StatusOK
			}
			if status, _, _ := l.send("GET", "/api/v1/experiments", "", "Host", c.host); status != want {
				t.Errorf("Host %s: %d, not %d (loopback only: %v)", c.host, status, want, l == closed)
			}
		}
	}
}

func TestOtherPagesMayNotAsk(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	own := l.address
	query := `{"experiments": ["after"], "query": "wtime is high"}`
	for _, c := range []struct {
		method, path string
		headers      []string
		want         int
	}{
		{"GET", "/api/v1/experiments", []string{"Origin", own}, http.StatusOK},
		{"GET", "/api/v1/experiments", []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		{"GET", "/api/v1/experiments", []string{"Origin", "null"}, http.StatusForbidden},
		{"POST", "/api/v1/query", []string{"Origin", own}, http.StatusOK},
		{"POST", "/api/v1/query", []string{"Origin", "http://localhost:1"}, http.StatusForbidden},
		{"POST", "/api/v1/query", []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		{"POST", "/api/v1/query", []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		{"GET", "/api/v1/experiments", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, http.StatusForbidden},
		{"GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, http.StatusOK},
		// What a form of another page can send without asking first.
		{"POST", "/api/v1/query", []string{"Content-Type", "text/plain"}, http.StatusUnsupportedMediaType},
		{"POST", "/api/v1/query", []string{"Content-Type", "application/x-www-form-urlencoded"}, http.StatusUnsupportedMediaType},
		{"POST", "/api/v1/query", []string{"Content-Type", ""}, http.StatusUnsupportedMediaType},
		{"DELETE", "/api/v1/experiments/after", nil, http.StatusNotFound},
	} {
		body := ""
		if c.method == "POST" {
			body = query
		}
		if status, _, text := l.send(c.method, c.path, body, c.headers...); status != c.want {
			t.Errorf("%s %s %v: %d %s", c.method, c.path, c.headers, status, text)
		}
	}
}

func TestPolicyOnEveryAnswer(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	for _, path := range []string{"/", "/app.js", "/api/v1/experiments", "/api/v1/nothing", "/nothing", "/a/b"} {
		_, header, _ := l.send("GET", path, "")
		policy := header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %q has no %s", path, policy, want)
			}
		}
		if scripts, _, _ := strings.Cut(policy, "style-src"); strings.Contains(scripts, "unsafe") {
			t.Errorf("%s: the policy allows inline scripts: %q", path, policy)
		}
		if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Referrer-Policy") != "no-referrer" || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", path, header)
		}
	}
	_, _, page := l.send("GET", "/", "")
	if strings.Contains(strings.ReplaceAll(page, `<script defer src="app.js">`, ""), "<script") || strings.Contains(page, "onload=") {
		t.Errorf("the page has an inline script:\n%s", page)
	}
}

func TestPathsStayInside(t *testing.T) {
	s := testStore(t)
	outside := t.TempDir()
	roots := filepath.Join(outside, "src")
	secret := filepath.Join(outside, "secret.txt")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(roots, "deep"), 0o777),
		os.WriteFile(secret, []byte("secret"), 0o666),
		os.WriteFile(filepath.Join(roots, "main.c"), []byte("int main(void)\n{\n}\n"), 0o666),
		os.Symlink(secret, filepath.Join(roots, "link.c")),
		os.Symlink(outside, filepath.Join(roots, "deep", "up")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"main.c", "/build/tree/main.c", "../secret.txt", secret, "link.c", "deep/up/secret.txt", "deep", "/etc/passwd", "deep/../../secret.txt"}
	e := synthetic("sources", 2, len(names)+1)
	for i, name := range names {
		e.Regions[i].File = name
	}
	put(t, s, e)
	l := serve(t, Config{Store: s, Sources: []string{roots}, Loopback: true})
	for i, name := range names {
		status, _, text := l.send("GET", address("/experiments/sources/source", map[string][]string{"file": {name}}), "")
		shown := i < 2
		if shown != (status == http.StatusOK) || strings.Contains(text, `"secret"`) || strings.Contains(text, "root:") {
			t.Errorf("%s: %d %.100s", name, status, text)
		}
	}
	// Files that no region comes from, and experiments outside the store.
	for _, path := range []string{
		"/api/v1/experiments/sources/source?file=../../etc/passwd",
		"/api/v1/experiments/..%2F..%2F..%2Fetc%2Fpasswd",
		"/api/v1/experiments/%2e%2e",
		"/api/v1/simulations/..%2F..%2Fexperiments",
		"/api/v1/experiments/after/classify?vocabulary=..%2F..%2Fsecret",
		"/..%2F..%2Fetc%2Fpasswd",
	} {
		if status, _, text := l.send("GET", path, ""); status == http.StatusOK || strings.Contains(text, "root:") {
			t.Errorf("%s: %d %.100s", path, status, text)
		}
	}
	var saved vocabulary
	l.post("/vocabularies", map[string]any{"name": "../../escaped", "variables": []any{map[string]any{"variable": "time_share", "meanings": map[string]string{"high": "S(0.2, 0.6)"}}}}, &saved)
	if inside, err := filepath.Rel(filepath.Join(s.Dir(), "vocabularies"), saved.File); err != nil || !filepath.IsLocal(inside) || strings.Contains(inside, "/") {
		t.Errorf("a vocabulary was saved at %s", saved.File)
	}
	for _, name := range []string{"", "-x", "a\nb"} {
		body, _ := json.Marshal(map[string]any{"name": name, "variables": []any{map[string]any{"variable": "time_share", "meanings": map[string]string{"high": "S(0.2, 0.6)"}}}})
		if status, _, _ := l.send("POST", "/api/v1/vocabularies", string(body)); status != http.StatusBadRequest {
			t.Errorf("a vocabulary named %q: %d", name, status)
		}
	}
}

func TestMarkupInNamesIsText(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	at := "/api/v1/experiments/" + escapeSegment(evilName)
	for _, path := range []string{"/api/v1/experiments", at, at + "/regions", at + "/heatmap", at + "/diagnose", at + "/sources", at + "/classify"} {
		status, header, text := l.send("GET", path, "")
		if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s", path, status, header.Get("Content-Type"))
		}
		if strings.ContainsAny(text, "<>&") {
			t.Errorf("%s: markup is not escaped: %.300s", path, text)
		}
	}
	var s struct{ Name string }
	l.ask("/experiments/"+escapeSegment(evilName), &s)
	if s.Name != evilName {
		t.Errorf("the name came back as %q", s.Name)
	}
}

func TestLargeQuestionsAreRefused(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	long := `{"experiments": ["after"], "query": "` + strings.Repeat("x", maxBody) + `"}`
	if status, _, text := l.send("POST", "/api/v1/query", long); status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d bytes: %d %s", len(long), status, text)
	}
	for _, body := range []string{"", "{", "[]", `{"query": 7}`, `{"query": "wtime is high"}`} {
		if status, _, text := l.send("POST", "/api/v1/query", body); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
}

func TestTimeAndConcurrencyAreLimited(t *testing.T) {
	s, err := New(Config{Store: testStore(t), Token: testToken, Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	running, most := 0, 0
	slow := route{answer: func(ctx context.Context, q *asked) (any, error) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		<-ctx.Done()
		mu.Lock()
		running--
		mu.Unlock()
		return nil, ctx.Err()
	}}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			r, err := http.NewRequest("GET", "/", nil)
			if err != nil {
				t.Error(err)
				return
			}
			var got recorder
			s.handle(slow)(&got, r)
			if got.status != http.StatusGatewayTimeout {
				t.Errorf("a question that takes too long: %d %s", got.status, got.body.String())
			}
		})
	}
	wg.Wait()
	if most > cap(s.work) {
		t.Errorf("%d questions at once, where %d are allowed", most, cap(s.work))
	}
	s.waiting.Store(maxWaiting)
	r, _ := http.NewRequest("GET", "/", nil)
	var got recorder
	s.handle(slow)(&got, r)
	if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("with %d waiting: %d %v", maxWaiting, got.status, got.header)
	}
}

func TestConnectionsAreLimited(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := limitConnections(inner, 2)
	defer l.Close()
	accepted := make(chan net.Conn, 3)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	for range 3 {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Error("a third connection was accepted")
	case <-time.After(50 * time.Millisecond):
	}
	first.Close()
	first.Close() // twice gives one place back
	select {
	case c := <-accepted:
		c.Close()
	case <-time.After(time.Minute):
		t.Error("a place that became free was not used")
	}
	second.Close()
}
