package simulate

import "errors"

// Small messages travel while their sender computes, as far as the system's buffer
// holds them: MPI libraries that only work while they are called (Open MPI over TCP)
// leave the rest to the next call that waits. A rank that sends line after line of
// a picture and never waits sends most of it at the end. Options.SendBuffer is what
// a new connection holds (calibrate measures it); TCP's buffers grow with what they
// carry, up to mostGrown.

// connection is what is on its way from one rank to another.
type connection struct {
	src, dst int32
	sending  int64   // bytes that have left and not arrived
	grown    int64   // bytes that the buffer holds more than at first
	queue    []int32 // messages that found no room
}

// mostGrown is about half of what Linux gives a connection at most (tcp_wmem),
// since its own books count for as much.
const mostGrown = 2 << 20

// carried tells whether a message goes through the system's buffers.
func (e *engine) carried(m *message) bool {
	return e.connections != nil && m.detached && e.ranks[m.src].host != e.ranks[m.dst].host
}

// connect finds the connection of two ranks, or makes it.
func (e *engine) connect(src, dst int32) *connection {
	key := [2]int32{src, dst}
	c := e.connections[key]
	if c == nil {
		c = &connection{src: src, dst: dst}
		e.connections[key] = c
		e.inOrder = append(e.inOrder, c)
	}
	return c
}

// room tells whether a message fits, by at least half. A rank inside MPI pushes a
// large one through piece by piece.
func (e *engine) room(c *connection, bytes int64) bool {
	return c.sending+bytes/2 <= e.opts.SendBuffer+c.grown || c.sending == 0 && e.ranks[c.src].inside()
}

// carry starts a message, or has it wait for room; its sender then is done with it
// when it has left.
func (e *engine) carry(m, last int32, received bool) error {
	msg := &e.post.messages[m]
	c := e.connect(msg.src, msg.dst)
	if len(c.queue) == 0 && e.room(c, msg.bytes) {
		c.sending += msg.bytes
		return e.depart(m, last, received)
	}
	msg.state = crowded
	if last == msg.src { // who has not been told yet that it is done
		msg.queued = true
		if msg.held++; !received {
			msg.held++ // until it is received
		}
	}
	if c.queue = append(c.queue, m); len(c.queue) == 1 {
		e.delayed[c.src].outgoing = append(e.delayed[c.src].outgoing, c)
	}
	return nil
}

// drain starts what waits and fits, now that a message has come through (or none).
func (e *engine) drain(c *connection, through int32) error {
	for len(c.queue) > 0 && e.room(c, e.post.messages[c.queue[0]].bytes) {
		m := c.queue[0]
		c.queue = c.queue[1:]
		msg := &e.post.messages[m]
		c.sending += msg.bytes
		if err := e.depart(m, c.src, true); err != nil {
			return err
		}
		e.pathBehind(m, through)
		if msg.tellSource {
			msg.tellSource = false
			e.notify(msg.src, m)
		}
	}
	return nil
}

// unloaded notes that a message has come through.
func (e *engine) unloaded(m int32) {
	msg := &e.post.messages[m]
	c := e.connect(msg.src, msg.dst)
	c.sending -= msg.bytes
	if msg.queued {
		c.grown = min(c.grown+msg.bytes, mostGrown)
	}
	if len(c.queue) > 0 && e.ranks[c.src].inside() {
		e.failed = errors.Join(e.failed, e.drain(c, m))
	}
}

// progressBuffers starts the messages of a rank that has just entered a call that
// waits.
func (e *engine) progressBuffers(d *delayed, r *rank) error {
	if len(d.outgoing) == 0 || !r.inside() {
		return nil
	}
	keep := d.outgoing[:0]
	for _, c := range d.outgoing {
		if err := e.drain(c, none); err != nil {
			return err
		}
		if len(c.queue) > 0 {
			keep = append(keep, c)
		}
	}
	d.outgoing = keep
	return nil
}

// stateOfBuffers appends what is on its way.
func (e *engine) stateOfBuffers(s *state) {
	for _, c := range e.inOrder {
		s.put(int64(c.src), int64(c.dst), c.sending, c.grown, int64(len(c.queue)))
		for _, m := range c.queue {
			e.stateOfMessage(s, sendSide(m))
		}
	}
}
