package source

import "testing"

// What may stand between an operator and its statement.
func TestOnlyComments(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " \t\n": true, " /* a */ // b\n\t": true, "/**/": true, "/* a // b */\n": true,
		"x": false, "/* a": false, "// a": false, "/": false, "/* a */ x": false, "// a\nx": false, "/*/": false,
	} {
		if got := onlyComments([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
