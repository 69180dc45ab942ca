package platform

import "fmt"

// loopbackName is SimGrid's link from a host to itself in zones with routes.
const loopbackName = "__loopback__"

// What that link can do unless options of the platform say otherwise.
const (
	defaultLoopbackBandwidth = 10e9
	defaultLoopbackLatency   = 0
)

func loopbackConfig(config map[string]string) (bandwidth, latency float64, err error) {
	bandwidth, latency = defaultLoopbackBandwidth, defaultLoopbackLatency
	if s, ok := config["network/loopback-bw"]; ok {
		if bandwidth, _, err = bandwidthUnit.parse(s); err != nil {
			return 0, 0, fmt.Errorf("network/loopback-bw: %w", err)
		}
	}
	if s, ok := config["network/loopback-lat"]; ok {
		if latency, _, err = timeUnit.parse(s); err != nil {
			return 0, 0, fmt.Errorf("network/loopback-lat: %w", err)
		}
	}
	return bandwidth, latency, nil
}
