package platform

import (
	"slices"
	"strings"
	"testing"

	"auspex/internal/mistake"
)

const fourHosts = `<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/></platform>`

func TestHostfile(t *testing.T) {
	p := mustRead(t, fourHosts)
	for _, c := range []struct {
		text string
		np   int
		want []int
	}{
		{"n0\nn1\nn2\n", 3, []int{0, 1, 2}},
		{"n2\nn0", 5, []int{2, 0, 2, 0, 2}}, // starts again
		{"n3:3\nn1\nn0:2\n", 8, []int{3, 3, 3, 1, 0, 0, 3, 3}},
		{"# all\n\n  n1  # first\r\nn2 : 2\n", 4, []int{1, 2, 2, 1}},
		{"n1\nn1\n", 1, []int{1}},
		{"n1", 0, nil},
	} {
		slots, err := ReadHostfile("h", strings.NewReader(c.text), p)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := Map(slots, c.np); !slices.Equal(got, c.want) {
			t.Errorf("%q for %d: %v, want %v", c.text, c.np, got, c.want)
		}
	}
	if got := Map(AllHosts(p), 6); !slices.Equal(got, []int{0, 1, 2, 3, 0, 1}) {
		t.Errorf("all hosts: %v", got)
	}
	if got := Map(nil, 3); got != nil {
		t.Errorf("no slots: %v", got)
	}
}

func TestBadHostfile(t *testing.T) {
	p := mustRead(t, fourHosts)
	for _, c := range []struct {
		text   string
		line   int
		reason string
	}{
		{"", 0, "no host"}, {"# nothing\n\n", 0, "no host"}, {"n0\nnode\n", 2, `no host "node"`},
		{"n0:0", 1, "whole number from 1"}, {"n0:x", 1, "whole number"}, {"n0:-2", 1, "whole number"},
		{"n0:16000000\nn1:1000000\n", 2, "more than"}, {"c", 1, `no host "c"`}, // a zone is no host
		{"n0\n" + strings.Repeat("x", 1<<20), 2, "too long"},
	} {
		_, err := ReadHostfile("h", strings.NewReader(c.text), p)
		place, _ := mistake.Find(err)
		if place.Line != c.line || place.File != "h" || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%.20q: %v, want line %d and %q", c.text, err, c.line, c.reason)
		}
	}
}
