package platform

import (
	"strings"
	"testing"

	"auspex/internal/mistake"
)

// inWorld puts elements into a Full zone; they start on line 2.
func inWorld(body string) string {
	return "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n" + body + "\n</zone></platform>"
}

const twoHosts = `<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="1MBps" latency="1us"/>` + "\n"

// twoZones are zones x and y with hosts a and b, and a link l.
const twoZones = `<zone id="x" routing="Full"><host id="a" speed="1Gf"/></zone><zone id="y" routing="Full"><host id="b" speed="1Gf"/></zone><link id="l" bandwidth="1MBps" latency="1us"/>` + "\n"

// small are limits that a test reaches quickly.
var small = limits{hosts: 1000, links: 2100, bytes: 1 << 20}

// TestRefused lists what is not accepted, with the line and the reason.
func TestRefused(t *testing.T) {
	cluster := clusterXML
	cabinet := func(id string) string {
		return `<cluster id="` + id + `" prefix="` + id + `" suffix="" radical="0-599" speed="1Gf" bw="1GBps" lat="1us"/>` + "\n"
	}
	for name, c := range map[string]struct {
		text   string
		line   int
		reason string
	}{
		"empty":              {"", 1, "empty"},
		"blank":              {"\n\n  ", 1, "empty"},
		"not a platform":     {"\n<html/>", 2, "unknown element <html>"},
		"wrong root":         {inWorld("")[24:], 1, "starts with <platform"},
		"no version":         {"<platform><zone id=\"w\" routing=\"Full\"/></platform>", 1, `lacks the attribute "version"`},
		"old version":        {`<platform version="3"></platform>`, 1, "not supported"},
		"new version":        {`<platform version="5"></platform>`, 1, "not supported"},
		"bad version":        {`<platform version="x"></platform>`, 1, "not supported"},
		"no zone":            {`<platform version="4.1"></platform>`, 1, "no zone"},
		"no host":            {inWorld(""), 1, "no host"},
		"second root":        {`<platform version="4.1"><zone id="w" routing="Full"/>` + "\n" + `<zone id="v" routing="Full"/></platform>`, 2, "second zone"},
		"after the end":      {inWorld(twoHosts) + "\n\n<zone id=\"v\" routing=\"Full\"/>", 6, "follows the end"},
		"text":               {inWorld("hello"), 1, "text outside"},
		"cut":                {inWorld(twoHosts)[:150], 2, "not well-formed"},
		"wrong end tag":      {inWorld("</host>"), 2, "not well-formed"},
		"latin 1":            {"<?xml version='1.0' encoding='latin1'?>\n" + inWorld(twoHosts), 1, "UTF-8"},
		"entity":             {inWorld(`<host id="&x;" speed="1Gf"/>`), 2, "not well-formed"},
		"unknown attribute":  {inWorld(`<host id="a" speed="1Gf" colour="red"/>`), 2, `no attribute "colour"`},
		"twice":              {inWorld(`<host id="a" speed="1Gf" id="b"/>`), 2, `"id" twice`},
		"no speed":           {inWorld(`<host id="a"/>`), 2, `lacks the attribute "speed"`},
		"empty name":         {inWorld(`<host id="" speed="1Gf"/>`), 2, "empty"},
		"zero speed":         {inWorld(`<host id="a" speed="0f"/>`), 2, "above 0"},
		"zero pstate speed":  {inWorld(`<host id="a" speed="1Gf,0f"/>`), 2, "above 0"},
		"pstate":             {inWorld(`<host id="a" speed="1Gf,2Gf" pstate="2"/>`), 2, "pstate 2"},
		"cores":              {inWorld(`<host id="a" speed="1Gf" core="0"/>`), 2, "core must be 1"},
		"cores text":         {inWorld(`<host id="a" speed="1Gf" core="x"/>`), 2, "whole number"},
		"speed file":         {inWorld(`<host id="a" speed="1Gf" speed_file="f"/>`), 2, "speed_file: open f"},
		"state file":         {inWorld(`<host id="a" speed="1Gf" state_file="f"/>`), 2, "state_file: open f"},
		"coordinates":        {inWorld(`<host id="a" speed="1Gf" coordinates="1 2 3"/>`), 2, `"coordinates" is not supported`},
		"host property":      {inWorld(`<host id="a" speed="1Gf"><prop id="smpi/or" value="1"/></host>`), 2, "smpi/or"},
		"disk":               {inWorld(`<host id="a" speed="1Gf"><disk id="d" read_bw="1Bps" write_bw="1Bps"/></host>`), 2, "disks are not"},
		"bandwidth file":     {inWorld(`<link id="l" bandwidth="1Bps" latency="0" bandwidth_file="f"/>`), 2, "bandwidth_file: open f"},
		"wifi":               {inWorld(`<link id="l" bandwidth="1Bps" sharing_policy="WIFI"/>`), 2, "WIFI"},
		"bandwidth list":     {inWorld(`<link id="l" bandwidth="1Bps,2Bps"/>`), 2, "unknown unit"},
		"negative latency":   {inWorld(`<link id="l" bandwidth="1Bps" latency="-1us"/>`), 2, "negative"},
		"second link":        {inWorld(twoHosts + `<link id="l" bandwidth="1Bps"/>`), 3, `a link "l" already`},
		"link of split":      {inWorld(`<link id="l" bandwidth="1Bps" sharing_policy="SPLITDUPLEX"/>` + "\n" + `<link id="l_UP" bandwidth="1Bps"/>`), 3, `"l_UP" already`},
		"peer":               {inWorld(`<peer id="p" speed="1Gf" bw_in="1Bps" bw_out="1Bps" coordinates="0 0 0"/>`), 2, "Vivaldi"},
		"trace":              {"<platform version=\"4.1\">\n<trace id=\"t\" periodicity=\"1\">0 1</trace><trace_connect trace=\"u\" element=\"a\"/></platform>", 2, "there is no trace"},
		"actor":              {inWorld(twoHosts)[:len(inWorld(twoHosts))-len("</platform>")] + `<actor host="a" function="f"/></platform>`, 4, "from the traces"},
		"misplaced":          {inWorld("<config/>"), 2, "cannot stand inside <zone>"},
		"late config":        {"<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"/>\n<config/></platform>", 2, "before the first zone"},
		"vivaldi":            {inWorld(`<zone id="w" routing="Vivaldi"/>`), 2, "inside another zone"},
		"routing":            {"<platform version=\"4.1\">\n<zone id=\"w\" routing=\"Best\"/></platform>", 2, "unknown routing"},
		"mixed zone":         {inWorld(twoHosts + `<zone id="v" routing="Full"/>`), 3, "both zones and hosts"},
		"mixed zone 2":       {inWorld(twoZones + `<host id="c" speed="1Gf"/>`), 3, "both zones and hosts"},
		"zone in cluster":    {"<platform version=\"4.1\"><zone id=\"w\" routing=\"Cluster\">\n<zone id=\"v\" routing=\"Full\"/></zone></platform>", 2, "cannot hold zones"},
		"host_link in full":  {inWorld(twoHosts + `<host_link id="a" up="l" down="l"/>`), 3, "routing Cluster"},
		"backbone in full":   {inWorld(twoHosts + `<backbone id="k" bandwidth="1Bps" latency="0"/>`), 3, "routing Cluster"},
		"cabinet in full":    {inWorld(`<cabinet id="k" prefix="k" suffix="" radical="1" speed="1Gf" bw="1Bps" lat="0"/>`), 2, "routing Cluster"},
		"route end":          {inWorld(twoHosts + `<route src="a" dst="c"><link_ctn id="l"/></route>`), 3, `no host, router or zone "c"`},
		"empty route":        {inWorld(twoHosts + `<route src="a" dst="b"/>`), 3, "no links"},
		"route twice":        {inWorld(twoHosts + `<route src="a" dst="b"><link_ctn id="l"/></route>` + "\n" + `<route src="b" dst="a"><link_ctn id="l"/></route>`), 4, "exists already"},
		"way back twice":     {inWorld(twoHosts + `<route src="a" dst="b" symmetrical="NO"><link_ctn id="l"/></route>` + "\n" + `<route src="b" dst="a"><link_ctn id="l"/></route>`), 4, "way back exists"},
		"symmetrical":        {inWorld(twoHosts + `<route src="a" dst="b" symmetrical="MAYBE"><link_ctn id="l"/></route>`), 3, "YES or NO"},
		"no direction":       {inWorld(twoHosts + `<link id="s" bandwidth="1Bps" sharing_policy="SPLITDUPLEX"/>` + "\n" + `<route src="a" dst="b"><link_ctn id="s"/></route>`), 4, "direction"},
		"odd direction":      {inWorld(twoHosts + `<route src="a" dst="b"><link_ctn id="l" direction="LEFT"/></route>`), 3, "LEFT"},
		"plain direction":    {inWorld(twoHosts + `<route src="a" dst="b"><link_ctn id="l" direction="UP"/></route>`), 3, "not SPLITDUPLEX"},
		"route of zones":     {inWorld(twoZones + `<route src="x" dst="y"><link_ctn id="l"/></route>`), 3, "write a zoneRoute"},
		"zoneRoute of hosts": {inWorld(twoHosts + `<zoneRoute src="a" dst="b" gw_src="a" gw_dst="b"><link_ctn id="l"/></zoneRoute>`), 3, "write a route"},
		"foreign gateway":    {inWorld(twoZones + `<zoneRoute src="x" dst="y" gw_src="b" gw_dst="b"><link_ctn id="l"/></zoneRoute>`), 3, "not in zone x"},
		"zone as gateway":    {inWorld(twoZones + `<zoneRoute src="x" dst="y" gw_src="x" gw_dst="b"><link_ctn id="l"/></zoneRoute>`), 3, "is a zone"},
		"route elsewhere":    {inWorld(twoZones + `<route src="a" dst="b"><link_ctn id="l"/></route>`), 3, "directly in zone w"},
		"empty gateway":      {inWorld(twoZones + `<zoneRoute src="x" dst="y" gw_src="" gw_dst=""><link_ctn id="l"/></zoneRoute>`), 3, "write a zoneRoute with gateways"},
		"bypass twice":       {inWorld(twoHosts + `<bypassRoute src="a" dst="b"><link_ctn id="l"/></bypassRoute><bypassRoute src="a" dst="b"><link_ctn id="l"/></bypassRoute>`), 3, "bypass exists"},
		"bypass elsewhere":   {inWorld(twoZones + `<bypassRoute src="a" dst="b"><link_ctn id="l"/></bypassRoute>`), 3, "not in zone w"},
		"route in none":      {"<platform version=\"4.1\"><zone id=\"w\" routing=\"None\">" + twoHosts + `<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>`, 2, "takes no routes"},
		"star route":         {"<platform version=\"4.1\"><zone id=\"w\" routing=\"Cluster\">" + twoHosts + `<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>`, 2, "to itself"},
		"star twice":         {"<platform version=\"4.1\"><zone id=\"w\" routing=\"Cluster\">" + twoHosts + `<host_link id="a" up="l" down="l"/>` + "\n" + `<host_link id="a" up="l" down="l"/></zone></platform>`, 3, "host_link already"},
		"star no link":       {"<platform version=\"4.1\"><zone id=\"w\" routing=\"Cluster\">" + twoHosts + `<host_link id="a" up="l" down="m"/></zone></platform>`, 2, `no link "m"`},
		"star no host":       {"<platform version=\"4.1\"><zone id=\"w\" routing=\"Cluster\">" + twoHosts + `<host_link id="c" up="l" down="l"/></zone></platform>`, 2, `no host "c"`},
		"two backbones":      {"<platform version=\"4.1\"><zone id=\"w\" routing=\"Cluster\">" + `<backbone id="k" bandwidth="1Bps" latency="0"/>` + "\n" + `<backbone id="m" bandwidth="1Bps" latency="0"/></zone></platform>`, 2, "backbone already"},
		"giant radical":      {cluster(`radical="0-999999999"`), 2, "more than"},
		"many clusters":      {inWorld(cabinet("c") + cabinet("d")), 3, "more than 1000 hosts"},
		"many links":         {clusterXML(`radical="0-599" loopback_bw="1GBps" limiter_link="1GBps"`), 2, "more than 2100 links"},
		"giant torus":        {cluster(`radical="0-1" topology="TORUS" topo_parameters="99999,99999,99999"`), 2, "more than"},
		"giant fat tree":     {cluster(`radical="0-1" topology="FAT_TREE" topo_parameters="2;1,2;9999999,9999999;1,1"`), 2, "more than"},
		"giant dragonfly":    {cluster(`radical="0-1" topology="DRAGONFLY" topo_parameters="1,1;1,1;99999,1;1"`), 2, "more than"},
		"torus size":         {cluster(`radical="0-1" topology="TORUS" topo_parameters="3"`), 2, "3 hosts but the radical names 2"},
		"torus zero":         {cluster(`radical="0-1" topology="TORUS" topo_parameters="2,0"`), 2, "whole number from 1"},
		"torus none":         {cluster(`radical="0-1" topology="TORUS"`), 2, "whole number from 1"},
		"fat tree short":     {cluster(`radical="0-1" topology="FAT_TREE" topo_parameters="1;2;1"`), 2, "levels;children"},
		"fat tree levels":    {cluster(`radical="0-1" topology="FAT_TREE" topo_parameters="2;2;1;1"`), 2, "for 2 levels"},
		"dragonfly groups":   {cluster(`radical="0-1" topology="DRAGONFLY" topo_parameters="2,1;1,1;1,1;1"`), 2, "as many blades"},
		"dragonfly short":    {cluster(`radical="0-1" topology="DRAGONFLY" topo_parameters="2,1;1,1;1,1"`), 2, "groups,links"},
		"namespace":          {"<platform version=\"4.1\">\n<x:zone id=\"w\" routing=\"Full\"/></platform>", 2, "unknown element"},
		"fat tree tower":     {clusterXML(`radical="0-1" topology="FAT_TREE" topo_parameters="99;2;1;1"`), 2, "levels from 1 to 32"},
		"topology":           {cluster(`radical="0-1" topology="MESH"`), 2, "unknown topology"},
		"cluster policy":     {cluster(`radical="0-1" sharing_policy="WIFI"`), 2, "not supported"},
		"backbone policy":    {cluster(`radical="0-1" bb_bw="1Bps" bb_sharing_policy="SPLITDUPLEX"`), 2, "SHARED or FATPIPE"},
		"backbone latency":   {cluster(`radical="0-1" bb_lat="1us"`), 2, "above 0"},
		"loopback option":    {`<platform version="4.1"><config><prop id="network/loopback-bw" value="fast"/></config>` + "\n" + `<zone id="w" routing="Full"><host id="a" speed="1Gf"/></zone></platform>`, 2, "network/loopback-bw"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read("f.xml", strings.NewReader(c.text), newBuilder(small))
			place, ok := mistake.Find(err)
			if !ok {
				t.Fatalf("got %v, want an error with a place", err)
			}
			if place.File != "f.xml" || place.Line != c.line || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("got %v, want line %d and %q", err, c.line, c.reason)
			}
		})
	}
}

// TestOlderNames reads the names that version 4.1 still allows.
func TestOlderNames(t *testing.T) {
	p := mustRead(t, "\xef\xbb\xbf"+`<?xml version="1.0" encoding="utf-8"?><!DOCTYPE platform SYSTEM "http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd">
<platform version="4"><AS id="w" routing="full"><AS id="x" routing="FULL"><host id="a" speed="1e9"/></AS><AS id="y" routing="Full"><host id="b" speed="1Gf"/></AS>
<link id="l" bandwidth="1MBps" latency="1us" sharing_policy="FULLDUPLEX"/>
<ASroute src="x" dst="y" gw_src="a" gw_dst="b" symmetrical="yes"><link_ctn id="l" direction="DOWN"/></ASroute></AS></platform>`)
	if got, _ := routeNames(p, 1, 0); len(got) != 1 || got[0] != "l_UP" {
		t.Errorf("b to a: %v", got)
	}
	if d := Describe(p); len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "has no unit") {
		t.Errorf("warnings: %q", d.Warnings)
	}
}

// TestDeepNesting refuses zones nested too deep and survives those allowed.
func TestDeepNesting(t *testing.T) {
	nest := func(depth int) string {
		var open, shut strings.Builder
		for i := range depth {
			open.WriteString(`<zone id="z` + strings.Repeat("x", i) + `" routing="Full">`)
			shut.WriteString("</zone>")
		}
		return `<platform version="4.1">` + open.String() + `<host id="h" speed="1Gf"/>` + shut.String() + "</platform>"
	}
	mustRead(t, nest(maxZoneDepth))
	if _, err := Read("f", strings.NewReader(nest(maxZoneDepth+1))); err == nil || !strings.Contains(err.Error(), "nested more than") {
		t.Errorf("got %v", err)
	}
}

// TestLargeFile stops at the bound instead of reading on.
func TestLargeFile(t *testing.T) {
	r := &endless{head: strings.NewReader("<platform version=\"4.1\">")}
	_, err := read("f", r, newBuilder(small))
	if err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %v", err)
	}
}

// endless gives comments for ever.
type endless struct{ head *strings.Reader }

func (e *endless) Read(b []byte) (int, error) {
	if e.head.Len() > 0 {
		return e.head.Read(b)
	}
	n := 0
	for n+8 <= len(b) {
		n += copy(b[n:], "<!---->\n")
	}
	return max(n, 1), nil
}
