package counters

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The trees in testdata have the layout that Linux shows on such machines.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		machine, names, setting, missing string
	}{
		// Two threads to a core and the watchdog leave three counters at once.
		{"skylake-server", "", "instructions:0:1:0,cycles:0:0:0,l1_misses:3:10000:0,l2_misses:4:2124:50650,l2_accesses:4:e124:50650;l3_misses:3:10002:0", ""},
		{"haswell-alone", "", "instructions:0:1:0,cycles:0:0:0,l1_misses:3:10000:0,l2_misses:4:2124:306c0,l2_accesses:4:e124:306c0,l3_misses:3:10002:0", ""},
		{"ivybridge", "PAPI_TOT_INS,PAPI_L2_DCM,PAPI_L2_DCA,papi_l3_tcm", "instructions:0:1:0,l3_misses:3:10002:0", "l2_misses,l2_accesses"},
		{"zen3", "PAPI_L2_TCM,PAPI_L2_DCM,PAPI_TOT_CYC,PAPI_L1_DCA,PAPI_BR_MSP,PAPI_TLB_DM", "l2_misses:4:864:a00f10,cycles:0:0:0,l1_accesses:3:0:0,branch_misses:0:5:0,tlb_misses:3:10003:0", ""},
		{"raptorlake", "instructions,L2_misses", "instructions:0:400000001:0,l2_misses:4:2124:b0670", ""},
		{"neoverse", "", "instructions:0:1:0,cycles:0:0:0,l1_misses:3:10000:0,l2_misses:8:17:0,l2_accesses:8:16:0,l3_misses:3:10002:0", ""},
		{"nothing", "", "instructions:0:1:0,cycles:0:0:0,l1_misses:3:10000:0,l3_misses:3:10002:0", "l2_misses,l2_accesses"},
	} {
		names := Default
		if c.names != "" {
			names = strings.Split(c.names, ",")
		}
		p := Read(os.DirFS(filepath.Join("testdata", c.machine)))
		groups, missing, err := p.Choose(names)
		if err != nil {
			t.Errorf("%s: %v", c.machine, err)
		}
		if got := p.Setting(groups); got != c.setting {
			t.Errorf("%s: %s, want %s", c.machine, got, c.setting)
		}
		if got := strings.Join(missing, ","); got != c.missing {
			t.Errorf("%s: %s missing, want %s", c.machine, got, c.missing)
		}
	}
}

func TestChooseRefuses(t *testing.T) {
	for names, want := range map[string]string{
		"PAPI_FP_OPS": "there is no counter",
		"":            "there is no counter",
		"instructions,cycles,branches,branch_misses,l1_misses,l2_misses,l3_misses,l1_accesses,l3_accesses": "9 counters are more than the 8",
	} {
		if _, _, err := (Processor{}).Choose(strings.Split(names, ",")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a word of %q", names, err, want)
		}
	}
}

// Every name of PAPI's that is given out is taken.
func TestNamesOfPAPI(t *testing.T) {
	for _, name := range Names() {
		got, err := canonical(PAPI(name))
		if err != nil || got != name {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for papi, name := range aliases {
		if got, err := canonical(papi); err != nil || got != name {
			t.Errorf("%s: %s, %v", papi, got, err)
		}
	}
}

// Fields of an event go where the formats say, wherever that is, or nowhere.
func FuzzAssemble(f *testing.F) {
	f.Add("event=0x24,umask=0x21", "config:0-7", "config:8-15")
	f.Add("event=0x164,umask=1", "config:0-7,32-35", "config:8-15")
	f.Add("event,umask", "config:63", "config1:0-7")
	f.Add("event=1", "config:9-3", "")
	f.Fuzz(func(t *testing.T, text, event, umask string) {
		dir := t.TempDir()
		for name, format := range map[string]string{"event": event, "umask": umask} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(format), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		config, err := assemble(os.DirFS(filepath.Dir(dir)), filepath.Base(dir), text)
		if err != nil && config != 0 {
			t.Errorf("%#x with %v", config, err)
		}
		if text == "event=0x164,umask=1" && event == "config:0-7,32-35" && umask == "config:8-15" && config != 1<<32|0x164 {
			t.Errorf("%#x", config)
		}
	})
}
