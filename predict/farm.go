package predict

import (
	"slices"

	"auspex/trace"
)

// farm is a stretch of a run in which a master hands out tasks, each to the worker that
// asked for it, and workers talk to nobody else: any of them could have done any task.
type farm struct {
	master  int
	rounds  []round
	workers map[int32]span
}

// span is the part of a worker's script that its tasks are.
type span struct{ from, to int }

// round is one task: what the master receives of a worker, mostly with what came of its
// task before, and sends to it next, as places in the master's script; and the part of
// the worker's script from that message to the next one that it waits for, which does not
// end where the worker is told that there is no more.
type round struct {
	worker       int32
	asked, given []int
	span
}

// phases are the rounds of a rank, those together that follow one another and send
// messages of the same tags. Several workers may have asked before one of them is given
// its task.
func (s script) phases() (list [][]round) {
	asked, following := map[int32][]int{}, false
	for i := s.call(0); i < len(s); {
		kind, worker, messages := s.group(i)
		i = s.call(messages[len(messages)-1] + 1)
		if worker == trace.AnySource && i < len(s) {
			_, worker, _ = s.group(i) // who is answered right away
		}
		switch {
		case kind == trace.Recv && worker >= 0 && asked[worker] == nil:
			asked[worker] = messages
			continue
		case kind == trace.Send && asked[worker] != nil:
			r := round{worker: worker, asked: asked[worker], given: messages}
			delete(asked, worker)
			if following && s.alike(list[len(list)-1][0], r) {
				list[len(list)-1] = append(list[len(list)-1], r)
			} else {
				list = append(list, []round{r})
			}
			following = true
			continue
		}
		clear(asked)
		following = false
	}
	return list
}

// group is the messages in a row from a call on that are received from one rank, as far
// as that is known, or sent to one; a call that is none of these by itself.
func (s script) group(i int) (kind trace.Kind, with int32, places []int) {
	kind, with = s[i].Kind, trace.AnySource
	if kind != trace.Recv && kind != trace.Send {
		return kind, trace.NullPeer, []int{i}
	}
	for comm := s[i].Comm; i < len(s) && s[i].Kind == kind && s[i].Comm == comm; i = s.call(i + 1) {
		if peer := s[i].Peer; peer != trace.AnySource {
			if with != trace.AnySource && peer != with {
				break
			}
			with = peer
		}
		places = append(places, i)
	}
	if s[places[0]].Comm != 0 {
		with = trace.NullPeer
	}
	return kind, with, places
}

func (s script) alike(a, b round) bool {
	same := func(i, j int) bool { return s[i].Tag == s[j].Tag }
	return slices.EqualFunc(a.asked, b.asked, same) && slices.EqualFunc(a.given, b.given, same)
}

// newFarm finds the workers' part of a phase; nil where tasks are not any worker's, or
// there is one worker only.
func newFarm(scripts []script, master int, phase []round) *farm {
	f := &farm{master: master, workers: map[int32]span{}}
	of := map[int32][]int{}
	for i := range phase {
		of[phase[i].worker] = append(of[phase[i].worker], i)
	}
	if len(of) < 2 || len(phase) <= len(of) {
		return nil
	}
	tasks := len(phase) // after them workers are told that there is no more
	for worker, list := range of {
		places := received(scripts, master, worker)
		if int(worker) == master || places == nil {
			return nil
		}
		done := f.tasksOf(scripts, phase, list, places)
		if done < len(list)-1 {
			return nil
		}
		all := span{phase[list[0]].from, phase[list[0]].from}
		if done > 0 {
			all.to = phase[list[done-1]].to
		}
		f.workers[worker] = all
		if done < len(list) {
			tasks = min(tasks, list[done])
		}
	}
	for i := tasks; i < len(phase); i++ {
		if list := of[phase[i].worker]; list[len(list)-1] != i || phase[i].to > 0 {
			return nil
		}
	}
	if f.rounds = phase[:tasks]; tasks <= len(of) {
		return nil
	}
	return f
}

// received says where a worker receives what the master sends it, by the places where it
// does; nil where that cannot be told.
func received(scripts []script, master int, worker int32) map[int]int {
	var sent, got []int
	for i := range scripts[master] {
		switch a := &scripts[master][i]; {
		case a.Comm != 0:
		case a.Kind == trace.SendRecv && (a.Peer == worker || a.Peer2 == worker):
			return nil
		case (a.Kind == trace.Send || a.Kind == trace.Isend) && a.Peer == worker:
			sent = append(sent, i)
		}
	}
	for i := range scripts[worker] {
		switch a := &scripts[worker][i]; {
		case a.Comm != 0 || a.Kind != trace.Recv && a.Kind != trace.Irecv:
		case a.Peer == trace.AnySource:
			return nil
		case int(a.Peer) == master:
			got = append(got, i)
		}
	}
	if len(sent) != len(got) {
		return nil
	}
	places := map[int]int{}
	for i := range sent {
		if !takesTag(scripts[worker][got[i]].Tag, scripts[master][sent[i]].Tag) {
			return nil
		}
		places[sent[i]] = got[i]
	}
	return places
}

// takesTag tells whether a receive may take a message with a tag.
func takesTag(receive, sent int32) bool { return receive == trace.AnyTag || receive == sent }

// tasksOf finds the parts of a worker's script that are its tasks, and how many of its
// rounds gave it one: all but the last, or all.
func (f *farm) tasksOf(scripts []script, phase []round, list []int, places map[int]int) (done int) {
	worker, master := scripts[phase[list[0]].worker], scripts[f.master]
	first := places[phase[list[0]].given[0]]
	for range phase[list[0]].asked { // it must have asked for its first
		first = worker.callBefore(first)
	}
	next := f.question(worker, master, phase[list[0]].asked, max(first, 0))
	if next < 0 {
		return -1
	}
	for n, i := range list {
		r := &phase[i]
		at := places[r.given[0]]
		if worker.call(next) != at {
			return -1
		}
		r.span = span{at, 0}
		if n > 0 {
			phase[list[n-1]].to = at
		}
		for _, place := range r.given {
			if at = worker.call(at); at != places[place] || worker[at].Kind != trace.Recv {
				return -1
			}
			at++
		}
		if next = f.question(worker, master, r.asked, worker.call(at)); next < 0 {
			return n
		}
		r.to = next
	}
	return len(list)
}

// question is the place after what a worker sends for a task, -1 where it does not begin
// at a place.
func (f *farm) question(worker, master script, asked []int, at int) int {
	for _, place := range asked {
		if at = worker.call(at); at >= len(worker) {
			return -1
		}
		a := &worker[at]
		if a.Kind != trace.Send || a.Comm != 0 || int(a.Peer) != f.master || !takesTag(master[place].Tag, a.Tag) {
			return -1
		}
		at++
	}
	return at
}

// shares is how many tasks each worker did.
func (f *farm) shares() map[int32]int {
	n := map[int32]int{}
	for _, r := range f.rounds {
		n[r.worker]++
	}
	return n
}
