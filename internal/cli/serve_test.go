package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"auspex/internal/sample"
	"auspex/store"
	"auspex/whatif/kept"
)

// startServe starts the program and returns the address that it prints.
func startServe(t *testing.T, storeDir string, args ...string) (address, said string) {
	t.Helper()
	cmd := auspex(t, append([]string{"--store", storeDir, "serve", "--no-open"}, args...)...)
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("stopped by a signal, serve says %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	text, readErr := os.ReadFile(stderr.Name())
	if err != nil || readErr != nil {
		t.Fatalf("%v, %v: %s", err, readErr, text)
	}
	return strings.TrimSpace(line), string(text)
}

func fetch(t *testing.T, address string) (int, []byte) {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, body
}

// What the API answers is what the commands print.
func TestServeAnswersAsTheCommandsDo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	for _, args := range [][]string{
		{"import", "../../examples/diagnose/unbalanced.csv"},
		{"import", "../../examples/diagnose/balanced.csv"},
		{"import", "../../examples/soft/lapw0", "--each"},
	} {
		if out, err := auspex(t, append([]string{"--store", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	traced := sample.Scored(t, 1)
	traced.Name = "traced"
	if err := store.Open(dir).Put(traced, false, store.Attachment{Name: kept.TraceName, Data: sample.UnevenTrace(t, 2)}); err != nil {
		t.Fatal(err)
	}
	address, _ := startServe(t, dir, "--addr", "127.0.0.1:0")
	found := regexp.MustCompile(`^(http://127\.0\.0\.1:\d+)/\?token=([0-9a-f]{48})$`).FindStringSubmatch(address)
	if found == nil {
		t.Fatalf("the address is %q", address)
	}
	root, token := found[1], found[2]
	if status, _ := fetch(t, root+"/api/v1/experiments"); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	for path, args := range map[string][]string{
		"/experiments?":                                                        {"ls"},
		"/experiments/unbalanced?":                                             {"show", "unbalanced"},
		"/experiments/unbalanced/regions?":                                     {"show", "unbalanced", "--regions"},
		"/experiments/unbalanced/units?":                                       {"show", "unbalanced", "--units"},
		"/experiments/unbalanced/diagnose?":                                    {"diagnose", "unbalanced"},
		"/experiments/unbalanced/rules?baseline=balanced&":                     {"rules", "unbalanced", "--baseline", "balanced"},
		"/experiments/unbalanced/classify?":                                    {"classify", "unbalanced"},
		"/experiments/unbalanced/bottlenecks?threshold=0.1&metric=time_share&": {"bottlenecks", "unbalanced", "--metric", "time_share", "--threshold", "0.1"},
		"/experiments/unbalanced/bottlenecks?threshold=0&metric=cpu_time*2&":   {"bottlenecks", "unbalanced", "--metric", "cpu_time*2", "--threshold", "0"},
		"/compare?a=unbalanced&b=balanced&":                                    {"compare", "unbalanced", "balanced"},
		"/similar?experiment=unbalanced&region=main%2Fregion+14&":              {"similar", "unbalanced", "--region", "main/region 14"},
		"/similar?experiment=2Nx4P-GM-36&experiment=3Nx4P-GM-36&":              {"similar", "2Nx4P-GM-36", "3Nx4P-GM-36"},
		"/scaling?experiment=2Nx4P-GM-36&experiment=3Nx4P-GM-36&":              {"scaling", "2Nx4P-GM-36", "3Nx4P-GM-36"},
		"/experiments/traced/waits?":                                           {"waits", "traced"},
		"/experiments/traced/opportunities?":                                   {"whatif", "traced"},
		"/experiments/traced/whatif?balance=all&":                              {"whatif", "traced", "--balance", "all"},
	} {
		status, body := fetch(t, root+"/api/v1"+path+"token="+token)
		printed, err := auspex(t, append([]string{"--store", dir, "--json"}, args...)...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		var answered, said map[string]any
		if err := json.Unmarshal(printed, &said); err != nil || len(said) < 2 {
			t.Fatalf("%v prints %s", args, printed)
		}
		if status != http.StatusOK || json.Unmarshal(body, &answered) != nil {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		for key, value := range said { // the page gets more beside it: words, curves
			if key != "notes" && !reflect.DeepEqual(answered[key], value) {
				t.Errorf("%s answers %s:\n%v\nand %v prints\n%v", path, key, answered[key], args, value)
			}
		}
	}
}

func TestServeOnOtherAddresses(t *testing.T) {
	dir := t.TempDir()
	out, err := auspex(t, "--store", dir, "serve", "--no-open", "--addr", "0.0.0.0:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--host 0.0.0.0") {
		t.Errorf("--addr 0.0.0.0 without --host: %v %s", err, out)
	}
	address, said := startServe(t, dir, "--host", "0.0.0.0")
	if !strings.Contains(address, "?token=") || !strings.Contains(said, "everybody who can reach port") {
		t.Errorf("--host 0.0.0.0 prints %s and says %q", address, said)
	}
	plain, _, _ := strings.Cut(address, "?")
	if status, _ := fetch(t, plain+"api/v1/experiments"); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	for _, args := range [][]string{{"--addr", "nonsense"}, {"--source", filepath.Join(dir, "nowhere")}, {"more"}} {
		if out, err := auspex(t, append([]string{"--store", dir, "serve", "--no-open"}, args...)...).CombinedOutput(); err == nil {
			t.Errorf("%v: %s", args, out)
		}
	}
}
