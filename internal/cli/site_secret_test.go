package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsAreNeverPrinted runs every command that speaks to a site, with a
// password from the environment, from a file and in the address, against a server
// that refuses it, one that is not there, and one that answers with nonsense.
func TestSecretsAreNeverPrinted(t *testing.T) {
	const secret = "Xq7-sehr-geheim"
	var logins int
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-ClickHouse-Key") == secret {
			logins++
		}
		if strings.Contains(r.URL.String(), secret) {
			t.Error("the password is in the address that the server logs")
		}
		http.Error(w, "Code: 516. DB::Exception: ann: Authentication failed (AUTHENTICATION_FAILED)", http.StatusForbidden)
	}))
	defer refusing.Close()
	babbling := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("\x05nonsense")) }))
	defer babbling.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	dir := t.TempDir()
	file, contract, kept := filepath.Join(dir, "password"), filepath.Join(dir, "contract.toml"), filepath.Join(dir, "store")
	for path, text := range map[string]string{file: secret + "\n", contract: "[clause.time]\nrequire = \"wtime IS NOT very high COMPARED WITH baseline\"\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if text := said("import", "../../examples/profiles/heat-after.csv", "--name", "here", "--store", kept); !strings.HasSuffix(text, "[status 0]") {
		t.Fatal(text)
	}
	ask := func(place string) {
		t.Helper()
		t.Setenv(siteVariable, place)
		at := []string{"--store", place}
		for _, args := range [][]string{
			{"push", "here", "--to", place, "--store", kept}, {"push", "--all", "--store", kept}, {"check", "here", "--contract", contract, "--against", "site", "--store", kept},
			append([]string{"ls"}, at...), append([]string{"show", "x"}, at...), append([]string{"compare", "x", "y"}, at...), append([]string{"query", "x", "wtime is high"}, at...),
			append([]string{"classify", "x"}, at...), append([]string{"rank", "x"}, at...), append([]string{"rules", "x"}, at...), append([]string{"check", "x", "--contract", contract}, at...),
			append([]string{"diagnose", "x"}, at...), append([]string{"scaling", "x", "y"}, at...), append([]string{"report", "x"}, at...),
			append([]string{"site", "query", "wtime is high"}, at...), append([]string{"site", "history", "p", "r"}, at...), append([]string{"site", "lost"}, at...),
			append([]string{"site", "digest"}, at...), append([]string{"site", "gc"}, at...), append([]string{"push", "x", "--to", place}, at...), {"site", "--help"}, {"push", "--help"}, {"doctor"},
		} {
			for _, more := range [][]string{nil, {"--json"}} {
				if text := said(append(args, more...)...); strings.Contains(text, secret) {
					t.Errorf("auspex %s: %s", strings.Join(args, " "), text)
				}
			}
		}
	}
	for name, variables := range map[string]map[string]string{
		"environment": {"AUSPEX_SITE_USER": "ann", "AUSPEX_SITE_PASSWORD": secret}, "file": {"AUSPEX_SITE_USER": "ann", "AUSPEX_SITE_PASSWORD_FILE": file},
	} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range variables {
				t.Setenv(variable, value)
			}
			logins = 0
			for _, s := range []*httptest.Server{refusing, babbling, gone} {
				ask("clickhouse://" + strings.TrimPrefix(s.URL, "http://") + "/auspex?timeout=20s")
			}
			if logins == 0 {
				t.Error("the password was never sent")
			}
		})
	}
	t.Run("address", func(t *testing.T) { ask("clickhouse://ann:" + secret + "@localhost/auspex") })
}
