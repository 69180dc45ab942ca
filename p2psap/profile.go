package p2psap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Profile is what a run tells a prediction.
type Profile struct {
	Scheme   string        `json:"scheme"`
	Clusters []int         `json:"clusters"`
	Seconds  float64       `json:"seconds"` // of iterating, the longest of the peers
	Peers    []PeerProfile `json:"peers"`
}

// PeerProfile is one peer's part of it; times are means of an iteration.
type PeerProfile struct {
	Rank      int     `json:"rank"`
	Steps     int     `json:"steps"`
	Votes     int     `json:"votes"` // on whether all have converged
	Seconds   float64 `json:"seconds"`
	Compute   float64 `json:"compute"`
	CPU       float64 `json:"cpu"`      // processor time of computing
	Calls     float64 `json:"calls"`    // processor time of calls, of the thread that makes them
	Process   float64 `json:"process"`  // processor time of all threads of the peer
	Moved     float64 `json:"moved"`    // messages that came or went; what has no data counts a quarter
	Overhead  float64 `json:"overhead"` // in calls, without waiting
	Waiting   float64 `json:"waiting"`
	Overtaken int64   `json:"overtaken"`
	Lost      int64   `json:"lost"`
	Refused   int64   `json:"refused"`
	Sends     []struct {
		To    int   `json:"to"`
		Bytes int64 `json:"bytes"`
	} `json:"sends"`
}

// collectProfile reads what the peers of a run wrote into dir.
func collectProfile(dir string, o *Options, peers int) (*Profile, error) {
	p := &Profile{Scheme: o.Scheme.String(), Clusters: o.Clusters, Peers: make([]PeerProfile, peers)}
	for rank := range peers {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.json", rank)))
		if err != nil {
			return nil, fmt.Errorf("peer %d left no profile: it did not come to P2P_Finish, or made no iteration", rank)
		}
		if err := json.Unmarshal(text, &p.Peers[rank]); err != nil {
			return nil, fmt.Errorf("the profile of peer %d: %w", rank, err)
		}
		p.Seconds = max(p.Seconds, p.Peers[rank].Seconds)
	}
	return p, nil
}

// ReadProfile reads a profile that a run has left, and checks it.
func ReadProfile(file string) (*Profile, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var p Profile
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, lineOf(text, err), err)
	}
	if _, err := ParseScheme(p.Scheme); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	sum := 0
	for _, size := range p.Clusters {
		sum += size
	}
	if len(p.Peers) == 0 || sum != len(p.Peers) {
		return nil, fmt.Errorf("%s: clusters of %d peers, but %d peers tell of themselves", file, sum, len(p.Peers))
	}
	for i, peer := range p.Peers {
		if peer.Rank != i || peer.Steps < 1 {
			return nil, fmt.Errorf("%s: peer %d: rank %d with %d steps", file, i, peer.Rank, peer.Steps)
		}
	}
	return &p, nil
}

// lineOf is the line of a text in which JSON is wrong.
func lineOf(text []byte, err error) int {
	at := int64(0)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	return 1 + bytes.Count(bytes.TrimRight(text[:min(at, int64(len(text)))], "\n"), []byte("\n"))
}
