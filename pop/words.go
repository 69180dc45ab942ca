package pop

import (
	"fmt"
	"math"
	"strings"
)

// lookBelow is where BSC's and Jülich's tools flag a factor.
const lookBelow = 0.8

// named are the factors by their names, the parts before what they make up.
func (f *Factors) named() []struct {
	name  string
	value *float64
} {
	type factor = struct {
		name  string
		value *float64
	}
	parts := []factor{{"load balance", f.LoadBalance}}
	communication := f.Communication
	if f.MPI != nil { // threads: both of its parts, which parallel efficiency is the product of
		parts = []factor{{"MPI load balance", f.MPILoadBalance}, {"OpenMP load balance", f.OpenMPLoadBalance}, {"OpenMP communication", f.OpenMPCommunication}}
		communication = f.MPICommunication
	}
	transfer := f.Transfer
	// What is no message's cost.
	if f.StartEnd != nil {
		transfer, communication = without(transfer, f.StartEnd), without(communication, f.StartEnd)
		parts = append(parts, factor{"start and end", f.StartEnd})
	}
	if f.Cores != nil {
		transfer, communication = without(transfer, f.Cores), without(communication, f.Cores)
		parts = append(parts, factor{"cores", f.Cores})
	}
	if f.Serialization != nil { // its two parts say more
		communication = nil
	}
	return append(parts, factor{"serialization", f.Serialization}, factor{"transfer", transfer}, factor{"communication", communication},
		factor{"computation scalability", f.Computation},
		factor{"IPC scalability", f.IPC}, factor{"instruction scalability", f.Instruction}, factor{"frequency scalability", f.Frequency})
}

// without is a factor of the time that one of its parts leaves.
func without(factor, part *float64) *float64 {
	v := over(factor, part)
	if v != nil {
		*v = min(*v, 1)
	}
	return v
}

// Low names the factors to look at: those below 0.8, of communication's two
// parts both or itself where they are not known.
func (f *Factors) Low() []string {
	low := []string{}
	for _, n := range f.named() {
		if n.value != nil && *n.value < lookBelow {
			low = append(low, n.name)
		}
	}
	return low
}

// lowest are the factors that are smallest, as they are written.
func (f *Factors) lowest() (names []string, value string) {
	least := math.Inf(1)
	for _, n := range f.named() {
		if n.value != nil {
			least = min(least, *n.value)
		}
	}
	value = fmt.Sprintf("%.3f", least)
	for _, n := range f.named() {
		if n.value != nil && fmt.Sprintf("%.3f", *n.value) == value {
			names = append(names, n.name)
		}
	}
	return names, value
}

// between says of a factor that it is of the time between starting and ending, and of
// ranks with cores, where that makes it another than the one beside run time.
func (f *Factors) between(factor string) string {
	if factor != "transfer" && factor != "communication" {
		return ""
	}
	const all = 0.9995
	text := ""
	if f.StartEnd != nil && *f.StartEnd < all {
		text = " between starting and ending"
	}
	if f.Cores != nil && *f.Cores < all {
		text += " while ranks had cores"
	}
	return text
}

// meaning says what a low factor means.
var meaning = map[string]string{
	"load balance":            "some ranks compute longer than others",
	"MPI load balance":        "some ranks are outside of MPI longer than others",
	"OpenMP load balance":     "some threads compute longer than others of their rank",
	"OpenMP communication":    "threads wait or stand idle while their rank is outside of MPI",
	"serialization":           "ranks wait for one another even on a perfect network",
	"start and end":           "starting and ending take a large part of this run",
	"cores":                   "ranks could have gone on within MPI and had no core",
	"transfer":                "messages take time beyond waiting for one another",
	"communication":           "ranks spend time on communication and waiting",
	"computation scalability": "all ranks together compute longer for the work than in the reference",
	"IPC scalability":         "instructions take more cycles than in the reference",
	"instruction scalability": "the work takes more instructions than in the reference",
	"frequency scalability":   "a second of computation has fewer cycles than in the reference",
}

// ofThreads says it of a single rank.
var ofThreads = map[string]string{
	"load balance":  "some threads compute longer than others",
	"communication": "threads wait for one another or have nothing to do",
}

func (f *Factors) means(factor string) string {
	if text := ofThreads[factor]; text != "" && (f.Ranks == 1 || f.Units > f.Ranks && factor == "load balance") {
		return text
	}
	return meaning[factor]
}

// Words says how good a run is, and what to look at.
func (f *Factors) Words() string {
	if f.Parallel == nil {
		return "There is no computation to judge."
	}
	text := fmt.Sprintf("Parallel efficiency is %.3f", *f.Parallel)
	whole := *f.Parallel
	if f.Global != nil {
		whole = *f.Global
		text += fmt.Sprintf(", global efficiency %.3f", whole)
	}
	text += "."
	if low := f.LookAt(); low != "" {
		return text + " Look at " + low + "."
	}
	if whole < lookBelow {
		least, value := f.lowest()
		is, parts := "is", []string{}
		for _, name := range least {
			parts = append(parts, fmt.Sprintf("%s, %s%s (%s)", name, value, f.between(name), f.means(name)))
		}
		if len(parts) > 1 {
			is = "are"
		}
		product := "their product is"
		if c := f.Communication; c != nil && *c < lookBelow && f.Serialization != nil { // a row of its own, and yet of two
			product = fmt.Sprintf("their products are (communication %.3f)", *c)
		}
		return text + fmt.Sprintf(" No single factor is below 0.8, but %s; the lowest %s %s.", product, is, strings.Join(parts, " and "))
	}
	return text + " No factor is below 0.8."
}

// LookAt names the factors below 0.8 with what they mean; nothing where there
// are none.
func (f *Factors) LookAt() string {
	var parts []string
	for _, name := range f.Low() {
		parts = append(parts, fmt.Sprintf("%s (%s)", name, f.means(name)))
	}
	return strings.Join(parts, " and ")
}
