package cube

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"auspex/ingest/inputtest"
)

func TestCubeBadInput(t *testing.T) {
	order := binary.LittleEndian
	with := func(name string, content []byte) []byte {
		files := sampleFiles(order, false)
		files[name] = content
		return cubeArchive(sampleAnchor, files)
	}
	anchor := func(from, to string) []byte {
		if !strings.Contains(sampleAnchor, from) {
			t.Fatalf("no %q in the sample", from)
		}
		return cubeArchive(strings.Replace(sampleAnchor, from, to, 1), sampleFiles(order, false))
	}
	zipped := sampleFiles(order, true)
	edit := func(data []byte, at int, to ...byte) []byte {
		data = bytes.Clone(data)
		copy(data[at:], to)
		return data
	}
	all := []byte{255, 255, 255, 255, 255, 255, 255, 255}
	plain := cubeArchive(sampleAnchor, sampleFiles(order, false))
	bomb := cubeArchive(
		sampleAnchor[:strings.Index(sampleAnchor, "<system>")]+"<system>"+locationsOf(30000)+"</system></cube>",
		map[string][]byte{"1.index": indexOf(order, sparse, make([]uint32, 3000)...), "1.data": edit(zipped["1.data"], 0)})
	for name, c := range map[string]struct {
		content []byte
		want    []string
	}{
		"empty":               {nil, []string{"x at byte 0"}},
		"junk":                {[]byte("junk, junk"), []string{"x at byte 0"}},
		"absurd tar size":     {edit(plain, 124, []byte("77777777777\x00")...), []string{"x at byte", "ends early"}},
		"binary tar size":     {edit(plain, 124, append([]byte{0xff}, all...)...), []string{"x at byte 124"}},
		"bad tar size":        {edit(plain, 124, 'z'), []string{"x at byte 124"}},
		"no anchor":           {bytes.ReplaceAll(plain, []byte("anchor.xml\x00"), []byte("banner.xml\x00")), []string{"x:", "anchor.xml"}},
		"anchor cut":          {cubeArchive(sampleAnchor[:900], sampleFiles(order, false)), []string{"x:anchor.xml:", "ends early"}},
		"anchor not gzip":     {cubeArchive("\x1f\x8b\x08junk", sampleFiles(order, false)), []string{"x:anchor.xml:", "gzip"}},
		"version 5":           {anchor(`version="4.4"`, `version="5.0"`), []string{"x:anchor.xml:2:", `"5.0"`}},
		"other XML":           {cubeArchive("<html/>", nil), []string{"x:anchor.xml:1:", "html"}},
		"entities":            {anchor("<cube", `<!DOCTYPE cube [<!ENTITY a "&b;&b;">]><cube`), []string{"x:anchor.xml:", "entities"}},
		"unknown region":      {anchor(`calleeId="4"`, `calleeId="44"`), []string{"x:", "44"}},
		"cnode unnumbered":    {anchor(`<cnode id="4"`, `<cnode id="four"`), []string{"x:anchor.xml:", "four"}},
		"deep call tree":      {anchor(`<cnode id="4" calleeId="4">`, strings.Repeat(`<cnode id="4" calleeId="4">`, 3000)), []string{"x:anchor.xml:", "1000"}},
		"no locations":        {cubeArchive(sampleAnchor[:strings.Index(sampleAnchor, "<system>")]+"</cube>", nil), []string{"x:", "0 locations"}},
		"index: junk":         {with("0.index", []byte("junk")), []string{"x:0.index at byte 0"}},
		"index: cut":          {with("1.index", indexOf(order, sparse, 0, 1)[:20]), []string{"x:1.index at byte 20", "ends early"}},
		"index: byte order":   {with("1.index", edit(indexOf(order, sparse), 11, 7)), []string{"x:1.index at byte 11"}},
		"index: format":       {with("1.index", indexOf(order, 2)), []string{"x:1.index at byte 17", "2"}},
		"index: absurd count": {with("1.index", edit(indexOf(order, sparse, 1), 18, all[:4]...)), []string{"x:1.index", "ends early"}},
		"index: unknown node": {with("1.index", indexOf(order, sparse, 99)), []string{"x:1.index at byte 22", "99"}},
		"data: cut":           {with("1.data", sampleFiles(order, false)["1.data"][:50]), []string{"x:1.data at byte 50", "ends early"}},
		"data: junk":          {with("1.data", []byte("junk")), []string{"x:1.data at byte 0"}},
		"zip: cut":            {with("1.data", zipped["1.data"][:15]), []string{"x:1.data at byte 15", "ends early"}},
		"zip: absurd count":   {with("1.data", edit(zipped["1.data"], 11, all...)), []string{"x:1.data at byte 11", "ends early"}},
		"zip: absurd place":   {with("1.data", edit(zipped["1.data"], 27, all...)), []string{"x:1.data at byte 19", "outside"}},
		"zip: damaged":        {with("1.data", edit(zipped["1.data"], 11+8+4*24, 0, 0)), []string{"x:1.data at byte 115", "zlib"}},
		"zip: bomb":           {bomb, []string{"x:1.data", "bomb"}},
		"no values":           {cubeArchive(sampleAnchor, nil), []string{"x:", "no values"}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := readFrom(context.Background(), bufio.NewReader(bytes.NewReader(c.content)), "x")
			if e != nil {
				t.Error("an experiment came out")
			}
			inputtest.WantError(t, err, c.want...)
		})
	}
}

// locationsOf writes a system tree of n threads.
func locationsOf(n int) string {
	var out strings.Builder
	out.WriteString(`<systemtreenode Id="0"><name>m</name><class>node</class><locationgroup Id="0"><rank>0</rank>`)
	for i := range n {
		fmt.Fprintf(&out, `<location Id="%d"><rank>%d</rank><type>thread</type></location>`, i, i)
	}
	out.WriteString(`</locationgroup></systemtreenode>`)
	return out.String()
}

func TestCubeCutAnywhere(t *testing.T) {
	content := cubeArchive(sampleAnchor, sampleFiles(binary.LittleEndian, true))
	end := bytes.LastIndex(content, []byte("</cube>")) + len("</cube>")
	for n := 0; n < end; n += 7 {
		if _, err := readFrom(context.Background(), bufio.NewReader(bytes.NewReader(content[:n])), "x"); err == nil {
			t.Errorf("no error when cut to %d of %d bytes", n, len(content))
		}
	}
}

func FuzzCube(f *testing.F) {
	for _, compressed := range []bool{false, true} {
		files := sampleFiles(binary.LittleEndian, compressed)
		f.Add([]byte(sampleAnchor), files["0.index"], files["0.data"])
		f.Add([]byte(sampleAnchor), files["1.index"], files["1.data"])
	}
	f.Add([]byte(cube3Sample), []byte{}, []byte{})
	f.Add(cubeArchive(sampleAnchor, sampleFiles(binary.LittleEndian, false)), []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, anchor, index, data []byte) {
		e, err := readFrom(context.Background(), bufio.NewReader(bytes.NewReader(anchor)), "x")
		inputtest.CheckFuzzed(t, e, err)
		archive := cubeArchive(string(anchor), map[string][]byte{
			"0.index": index, "0.data": data, "1.index": index, "1.data": data,
		})
		e, err = readFrom(context.Background(), bufio.NewReader(bytes.NewReader(archive)), "x")
		inputtest.CheckFuzzed(t, e, err)
	})
}
