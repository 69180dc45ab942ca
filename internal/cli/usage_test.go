package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestUsageErrors: a command line that makes no sense ends with status 2 and says
// what is missing; work that failed ends with 1 and names what the user named.
func TestUsageErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("AUSPEX_STORE", filepath.Join(dir, "store"))
	profile := file("made.csv", "process,region,metric,value\n0,main,wtime,1\n1,main,wtime,2\n")
	single := file("one.json", `{"traceEvents": [`+strings.Repeat(`{"ph": "B"}, `, 1000)+`]}`)
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	file("testhere", "#!/bin/sh\n")
	promises := file("promises.toml", "[[clause]]\nrequire = 'wtime IS NOT high'\n")
	elf := file("solver", "\x7fELF\x02\x01\x01")
	if status := Main([]string{"import", profile}, nil, new(strings.Builder), os.Stderr); status != 0 {
		t.Fatalf("import: status %d", status)
	}
	for _, c := range []struct {
		line   string
		status int
		said   string
	}{
		{"show " + profile, 1, profile + ": a file, and no experiment has this name; auspex import " + profile},
		{"show " + empty, 1, empty + ": a folder, and no experiment has this name"},
		{"show other", 1, `there is no experiment "other"; the only one is "made"`},
		{"run -n 8 ./solver", 2, "auspex run --name first -- mpirun -n 8 ./solver"},
		{"run ./nosuchprogram", 1, "cannot start ./nosuchprogram: no such file or directory"},
		{"run nosuchprogram", 1, "cannot start nosuchprogram: no program of that name is in $PATH"},
		{"run testhere", 1, "the file here is ./testhere"},
		{"import " + elf, 1, "a program, no profile: auspex run -- " + elf},
		{"check made", 2, "auspex check needs --contract"},
		{"bottlenecks made --metric wtime", 2, "--metric wtime needs --threshold"},
		{"show made --units --regions", 2, "--regions and --units exclude each other"},
		{"show made --top -1", 2, "-1 is below 0"},
		{"compare made made --top -1", 2, "-1 is below 0"},
		{"classify made --top -1", 2, "-1 is below 0"},
		{"help nothere", 2, `there is no command "nothere"`},
		{"help shwo", 2, `there is no command "shwo"; did you mean show?`},
		{"show made --tpo 3", 2, "unknown flag: --tpo; did you mean --top?"},
		{"show made --zzz 3", 2, "unknown flag: --zzz\nrun `auspex show --help`"},
		{"ls here", 2, `auspex ls takes no arguments, and not "here"`},
		{"serve --port 99999", 2, "--port 99999 is no port"},
		{"sweep nothere.toml", 1, "auspex: nothere.toml: no such file or directory"},
		{"reduce " + empty, 1, "auspex: " + empty + ": is a directory"},
		{"classify made --vocabulary nothere", 1, "auspex: nothere: no such file or directory"},
		{"classify made --vocabulary nothere --json", 1, `{"error":{"file":"nothere","message":"nothere: no such file or directory"}}`},
		{"--store " + profile + " import " + profile, 1, "the store " + profile + " is not a directory"},
		{"check made --contract " + promises, 2, promises + ":1:3: [[clause]] has no name to tell it from others: write [clause.NAME]"},
		{"import /proc/self/mem", 1, "auspex: /proc/self/mem: input/output error"},
		{"help lab nothere", 2, `there is no command "lab nothere"`},
		{"completion tcsh", 2, "bash, zsh, fish or powershell"},
		{"--store " + dir + "/typo ls", 1, "there is no store " + dir + "/typo"},
		{"--store " + profile + " ls", 1, profile + " is not a directory"},
		{"report made -o " + dir + "/none/r.html", 1, dir + "/none/r.html: cannot write: no such file or directory"},
		{"export made -o " + dir + "/none/r.csv", 1, dir + "/none/r.csv: cannot write: no such file or directory"},
		{"waits " + single, 1, "give the folder that holds one of each rank"},
		{"whatif " + single, 1, "give the folder that holds one of each rank"},
		{"trace stat " + single, 1, "neither a trace nor a list of traces"},
		{"watch " + empty + " --once", 0, "no traces below " + empty},
	} {
		var said strings.Builder
		status := Main(strings.Fields(c.line), strings.NewReader(""), new(strings.Builder), &said)
		if status != c.status || !strings.Contains(said.String(), c.said) || len(said.String()) > 400 {
			t.Errorf("%s: status %d, said %.400q", c.line, status, said.String())
		}
	}
}

// TestWriteWhole: a place that is no file is written to, not replaced.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	kept, link := filepath.Join(dir, "kept"), filepath.Join(dir, "link")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AUSPEX_STORE", filepath.Join(dir, "store"))
	profile := filepath.Join(dir, "made.csv")
	if err := os.WriteFile(profile, []byte("process,region,metric,value\n0,main,wtime,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"import " + profile, "export made -o " + link, "export made -o " + kept} {
		if status := Main(strings.Fields(line), nil, new(strings.Builder), os.Stderr); status != 0 {
			t.Fatalf("%s: status %d", line, status)
		}
	}
	if to, err := os.Readlink(link); err != nil || to != os.DevNull {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if text, err := os.ReadFile(kept); err != nil || !strings.Contains(string(text), "wtime") {
		t.Errorf("wrote %q, %v", text, err)
	}
	if left, _ := filepath.Glob(dir + "/*.part"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestExamples: every command shows how it is used, and what it shows is understood:
// its command, its flags and as many arguments as it takes.
func TestExamples(t *testing.T) {
	examples := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		cobras := cmd.Name() == "help" || cmd.CommandPath() == "auspex completion" || cmd.HasParent() && cmd.Parent().Name() == "completion"
		if cmd.Hidden || cobras || cmd.Name() == "version" || cmd.HasSubCommands() && cmd.Example == "" {
			return
		}
		if cmd.Example == "" {
			t.Errorf("%s --help has no example", cmd.CommandPath())
		}
		shown := false
		for line := range strings.Lines(strings.ReplaceAll(cmd.Example, "\\\n", " ")) {
			line = strings.TrimSpace(line)
			if !strings.HasPrefix(line, "auspex ") {
				continue
			}
			examples++
			args := asShell(line)[1:]
			found, rest, err := (&app{}).rootCommand(nil).Find(args) // new flags every time
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err == nil {
				err = found.ValidateArgs(found.Flags().Args())
			}
			if err == nil {
				err = complete(found)
			}
			if err != nil {
				t.Errorf("%s --help: %s: %v", cmd.CommandPath(), line, err)
			}
			shown = shown || strings.Contains(line, cmd.CommandPath()+" ") || line == cmd.CommandPath()
		}
		if !shown {
			t.Errorf("%s --help has no example of the command itself", cmd.CommandPath())
		}
	}
	t.Setenv("AUSPEX_SITE", "clickhouse://db.site.org/auspex")
	walk((&app{}).rootCommand(nil))
	if examples < 60 {
		t.Errorf("%d examples were tried", examples)
	}
}

// asShell gives a command line's words, up to a pipe, a redirection or a comment.
func asShell(line string) (words []string) {
	for _, w := range regexp.MustCompile(`(?:[^\s'"]|'[^']*'|"[^"]*")+`).FindAllString(line, -1) {
		if w == "|" || w == "#" || strings.HasPrefix(w, ">") || w == "&&" {
			break
		}
		words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(w))
	}
	return words
}
