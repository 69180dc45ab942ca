package tau

import (
	"testing"

	"auspex/ingest/inputtest"
	"auspex/model"
)

func TestDamagedTAU(t *testing.T) {
	d := dataExample()
	for name, test := range map[string]struct {
		content []byte
		read    func([]byte) (*model.Experiment, error)
	}{
		"profile":     {[]byte(profileSample), func(b []byte) (*model.Experiment, error) { return buildText(string(b)) }},
		"packed":      {pack(d, 2), buildPacked},
		"packed, old": {pack(d, 1), buildPacked},
		"merged":      {[]byte(merge(d)), func(b []byte) (*model.Experiment, error) { return buildXML(string(b)) }},
	} {
		t.Run(name, func(t *testing.T) { inputtest.CheckDamaged(t, test.content, test.read) })
	}
}
