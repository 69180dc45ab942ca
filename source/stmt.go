package source

// StmtKind is the sort of a statement, in terms common to the languages.
type StmtKind int

// The sorts of statements. Break is also EXIT, Continue also CYCLE; the do-
// nothing CONTINUE of Fortran is Simple.
const (
	Simple StmtKind = iota // expression, assignment, call, input and output
	Declaration
	If
	Switch
	Case
	Loop
	Block
	Try
	Return
	Break
	Continue
	Goto
	Stop
	Throw
	Directive // OpenMP, OpenACC and other pragmas
	Format    // FORMAT, which may stand anywhere
)

var stmtNames = []string{"simple", "declaration", "if", "switch", "case", "loop", "block", "try",
	"return", "break", "continue", "goto", "stop", "throw", "directive", "format"}

func (k StmtKind) String() string { return stmtNames[k] }

// MarshalText writes the name of the kind, for JSON.
func (k StmtKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Stmt is one statement.
type Stmt struct {
	Kind  StmtKind `json:"kind"`
	Place          // without its label
	// Label is a C label or a Fortran statement label, LabelSpan its bytes.
	Label     string `json:"label,omitempty"`
	LabelSpan Span   `json:"-"`
	// Name is the construct name in Fortran.
	Name string `json:"name,omitempty"`
	// Targets are the labels or construct names control may go to from here.
	// For I/O and calls these are END=, ERR=, EOR= and alternate returns.
	Targets []string `json:"targets,omitempty"`
	// Action marks the statement of an IF without THEN, or of an if, else or
	// loop without braces.
	Action bool      `json:"action,omitempty"`
	Loop   *LoopInfo `json:"loop,omitempty"`
	// Text is the directive after its sentinel, in lower case.
	Text string  `json:"text,omitempty"`
	MPI  []Call  `json:"mpi,omitempty"`
	Body []*Stmt `json:"body,omitempty"`
	Else []*Stmt `json:"else,omitempty"`
	Node *Node   `json:"-"`
}

// Call is a call of a function known by name.
type Call struct {
	Name string `json:"name"` // as written
	Place
}

// LoopKind is the sort of a loop.
type LoopKind int

// The sorts of loops.
const (
	Counted    LoopKind = iota // DO var = from, to, step
	For                        // for (init; cond; step)
	ForEach                    // for (x : range)
	While                      // while, DO WHILE
	DoWhile                    // do … while
	Forever                    // DO without control
	Concurrent                 // DO CONCURRENT
)

var loopNames = []string{"do", "for", "for each", "while", "do while", "forever", "do concurrent"}

func (k LoopKind) String() string { return loopNames[k] }

// MarshalText writes the name of the kind, for JSON.
func (k LoopKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LoopInfo is what only loops have.
type LoopInfo struct {
	Kind  LoopKind `json:"kind"`
	Depth int      `json:"depth"` // 1 for a loop in no other loop
	// Sound is set where the loop's extent is certain: all of it was understood
	// but for arguments of calls, such as a type passed to a macro.
	Sound bool `json:"sound"`
	// Once marks `do { … } while (0)`, a block in disguise.
	Once bool `json:"once,omitempty"`
	// SharedEnd marks a labelled DO that ends on the statement on which an
	// outer one ends too, so that nothing can be put between the two ends.
	SharedEnd bool `json:"sharedEnd,omitempty"`
	// Body is the statement repeated, with its braces if Braced; in Fortran
	// everything between the DO line and the END DO.
	Body   Span `json:"body"`
	Braced bool `json:"braced,omitempty"`
	// The parts of the header, where present. From is C's whole initialiser.
	Var, From, To, Step *Node `json:"-"`
	// Header is all of the part in parentheses, or after DO.
	Header Span `json:"-"`
}
