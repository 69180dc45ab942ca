// The contract with the server: the type of every answer under /api/v1 and one
// thin function for each. docs/api.md describes the same in words.
//
// A self-contained report holds answers as data, by the address that gives
// them; every question looks there first, so the views need not know whether
// a server is behind them. Parameters that have their default are left out,
// so that the same question has the same address everywhere.

import type {
  CallTree,
  ChangesQuery,
  Glances,
  Opportunities,
  Priced,
  RegionPage,
  RegionTable,
  RegionTableQuery,
  Scaling,
  TracePicture,
  TraceQuery,
} from "./answers";

import type { Devices, Stragglers } from "./job";

export type * from "./answers";
export type * from "./job";

// Num is a number, or null where there is no answer.
export type Num = number | null;
// UnitName is a process's number, "process.thread", or a node's name.
export type UnitName = number | string;

// ---- errors

export interface Failure {
  message: string;
  hint?: string;
  file?: string;
  line?: number; // from 1
  column?: number; // from 1, in characters
  offset?: number; // in UTF-16 units of the text sent: where the caret goes
  caret?: string; // the message, the line and a caret below it, for a fixed-width font
}

// ApiError is what a refused question throws.
export class ApiError extends Error {
  constructor(
    readonly status: number, // 0 where there was no answer at all
    readonly failure: Failure,
  ) {
    super(failure.message);
  }
}

// ---- the store

export interface About {
  version: string;
  store: string; // the store's directory, for commands to print
  sources: boolean; // whether source directories were declared
  writable: boolean; // whether vocabularies can be saved
  made?: string; // when a report was
}

export type Factors = Record<string, number | string>;

export interface Listed {
  name: string;
  id: string;
  units: number;
  regions: number;
  metrics: string[];
  created: string;
  format: string;
  runs: number;
  factors: Factors;
  incomplete?: string;
  program: string; // that it is a run of
}

export interface Listing {
  experiments: Listed[];
  problems: string[]; // experiments that cannot be read
}

// ---- one experiment

export type Kind = string; // "function", "loop", "mpi", …

export interface Efficiency {
  load_balance: Num;
  communication: Num;
  parallel: Num;
  serialization?: Num; // with transfer it makes up communication; of traced runs
  transfer?: Num;
  start_end?: Num; // what starting and ending leave; part of communication
}

export interface RegionTime {
  region: string; // path
  kind: Kind;
  file?: string;
  line?: number;
  mean: Num;
  max: Num;
  max_over_mean: Num;
  share: Num;
  units: number;
}

// Kinds of lines of the ledger.
export type LedgerKind = "useful" | "imbalance" | "waiting" | "start_end" | "io" | "shared_cores" | "communication" | "idle";

// A line of the account of units × run time; the shares add up to 1.
export interface LedgerLine {
  line: LedgerKind;
  region: string | null;
  share: number;
  seconds: number; // summed over units
  words: string;
  scope: string;
  over: string;
  unit: string;
}

export interface Ledger {
  type: string;
  units: number;
  run_seconds: number;
  lines: LedgerLine[];
  cores: number; // 0 where not known
  crowded: boolean; // the units waited for cores
  by_name: boolean; // regions of one name count as one
  scatter: boolean; // the imbalance of no region in particular is but noise
  noise: number;
}

export interface Headline {
  line: LedgerKind;
  region: string | null;
  share: number;
}

export interface Summary {
  name: string;
  id: string;
  program: string;
  command: string;
  created: string;
  format: string;
  sources: string[] | null;
  units: number;
  processes: number;
  threads: number;
  nodes: number; // 0 where not recorded
  regions: number;
  runs: number;
  metrics: string[];
  factors: Factors;
  time_metric: string;
  metric: string; // what the heaviest regions are listed by: time, or what was counted
  runtime: Num;
  run_seconds: Num;
  efficiency: Efficiency;
  ledger_units: number; // whose account it is
  ledger: LedgerLine[]; // of the processes or threads, the largest first
  other_ledgers: Ledger[]; // of other types of units
  by: "path" | "name"; // whether regions are call paths or names
  cpu_utilisation: Num;
  heaviest: RegionTime[];
  covered: Num; // share of the run that the heaviest listed take
  incomplete?: string;
  warnings: string[];
  words: string; // the run in a sentence or two
  traced: boolean; // whether it kept a trace
  training: boolean; // whether it kept what the traces of a training job tell
}

export interface TreeNode {
  region: string; // path
  name: string;
  depth: number;
  kind: Kind;
  file?: string;
  line?: number;
  unit: string;
  inclusive: Num; // mean over units
  exclusive: Num;
  share: Num; // inclusive, of the program
}

// The tree depth first, the heaviest of siblings first. A node's children are
// the following nodes of larger depth. Without a metric this is the tree's
// order that positions in the heat map count in.
export interface RegionTree {
  name: string;
  metric: string;
  total: number; // regions there are, before top
  tree: TreeNode[];
}

export interface UnitTime {
  unit: string;
  node: string;
  process: number;
  thread: number;
  total: Num;
  useful: Num;
  communication: Num;
  useful_share: Num;
}

export interface UnitTimes {
  name: string;
  units: UnitTime[];
}

export interface MetricName {
  name: string; // column: "wtime.exc"
  metric: string; // "wtime"
  alias?: string;
  unit: string;
  scope: "exclusive" | "inclusive" | "own";
}

export interface Metrics {
  name: string;
  time_metric: string; // "" without one
  metrics: MetricName[];
  built_in: string[]; // computed: time_share, imbalance, …
  expressions: string[]; // of the vocabulary, that this experiment can compute
}

// ---- heat map

export type Scope = "exclusive" | "inclusive";
// none: as measured. region: over the region's largest. unit: share of the
// unit's total.
export type Normalise = "none" | "region" | "unit";

export interface HeatmapQuery {
  by?: string; // rows are call paths or names; default: as the summary has them
  metric?: string; // a metric or expression; default: time
  scope?: Scope; // default exclusive
  normalise?: Normalise; // default none
  region?: string; // only this region and what it holds
  depth?: number; // only regions at most this deep (0: the roots); default: all
  arrange?: "tree"; // along the tree; default: the heaviest first where not all fit
  opened?: string; // along the tree: places whose parts are shown, "3,17"
  closed?: string; // along the tree: places whose parts are not
  whole?: string; // along the tree: places of which all parts are shown
  from_unit?: number; // positions in the list of units; to_unit is past the end
  to_unit?: number;
  from_row?: number; // positions in the list of rows; to_row is past the end
  to_row?: number;
  rows?: number; // at most this many rows and columns
  cols?: number;
}

// One row of cells: one region, or in the last row all that are not among the
// heaviest.
export interface HeatRow {
  region: string; // path of the first
  name: string;
  depth: number;
  kind: Kind;
  from: number; // positions in the list of rows, to is past the end
  to: number;
  regions: number; // that it stands for
  place: number; // of the first in the tree's order
  parts: boolean; // it holds regions that could be shown
  of: number; // along the tree: the place whose lighter parts these are
  closed: boolean; // it stands for all it holds
  summed: boolean; // of several regions it has the sum; else the largest
}

// One column: one unit or several that follow each other.
export interface HeatCol {
  unit: string; // name of the first
  last: string; // name of the last
  from: number; // positions in the list of units, to is past the end
  to: number;
}

export interface Heatmap {
  experiment: string;
  by: "path" | "name";
  metric: string; // as asked for
  quantity: string; // what was computed
  unit: string; // "s", "count", … or "" for a ratio
  scope: Scope;
  normalise: Normalise;
  units: number; // of the experiment
  regions: number; // rows there are
  from_unit: number;
  to_unit: number;
  from_row: number;
  to_row: number;
  rows: HeatRow[];
  cols: HeatCol[];
  // By row and column, row after row: cell [r][c] is at r * cols.length + c.
  // null where nothing is known.
  mean: Num[];
  min: Num[];
  max: Num[];
  least: Num; // over all cells
  most: Num;
  warnings: string[];
}

// ---- diagnosis

export interface CriticalRegion {
  region: string;
  name: string;
  level: number;
  core: boolean;
  inside: string; // the critical region around it, "" at level 1
  file?: string;
  line?: number;
  variance_share: Num;
  with?: string[];
}

export interface Contrast {
  attribute: string;
  metric: string;
  high: UnitName[];
  low: UnitName[];
  high_value: Num;
  low_value: Num;
  ratio: Num;
  correlation: Num;
  gradual: boolean; // no groups: others may have as much as those named
  node?: string;
  nodes?: string[]; // where it takes longer
}

export interface DecisionTable {
  attributes: string[];
  used: boolean[];
  rows: { units: UnitName[]; values: number[]; decision: number }[];
}

export interface DiscernibilityMatrix {
  units: UnitName[][]; // by row
  entries: string[][]; // "0", "-1", or attributes parted by spaces
}

export interface Cause {
  region: string;
  within: string; // the sampled region below with most of the difference, "" for none
  sampled: { file: string; line: number; most: Num; mean: Num; slow_mean: Num; others_mean: Num; only: boolean } | null; // what units spend in it
  attributes: string[];
  lost_share: Num;
  replayed_gain?: Num; // of the run, where a kept trace was replayed without the difference
  association: boolean; // a replay gained nothing without it
  with: string[] | null; // regions that have to be balanced together with it
  alone_share: Num; // of the run: what balancing it alone saves
  blocked: Num; // how long the slowest was without CPU time there
  lost: Num;
  slowest: UnitName;
  most: Num;
  mean: Num;
  slow: UnitName[] | null; // those that take as long as the slowest
  slow_mean: Num;
  others_mean: Num;
  only: UnitName[]; // who spends time there, where that others do not is the reason
  in_threads: boolean; // lost between threads of a process, where processes are compared
  evidence: Contrast[];
  core: string[];
  reducts: string[][];
  complete: boolean;
  exact: boolean;
  excluded: { attribute: string; why: string }[];
  inexplicable: [UnitName, UnitName][];
  inexplicable_pairs: number;
  balance_by: string;
  balance: { unit: UnitName; measured: Num; share: Num; factor: Num }[];
  table?: DecisionTable;
  matrix?: DiscernibilityMatrix;
}

export interface Reachability {
  units: UnitName[]; // in OPTICS' order
  distance: Num[]; // null where a new start was made
  kind: number[]; // position in kinds, by unit of this list
  radius: number; // where the plot is cut
}

export interface JointAttribute {
  region: string;
  attribute: string;
}

export interface Joint {
  attributes: JointAttribute[];
  core: JointAttribute[];
  reducts: JointAttribute[][];
  complete: boolean;
  exact: boolean;
  rows?: unknown[];
}

export interface Diagnosis {
  experiment: string;
  words: string;
  units: "processes" | "threads" | "nodes";
  unit_count: number;
  metric: string;
  // in everything, or in all regions but a few; attribute is what they have more of
  slower: { units: UnitName[]; factor: Num; least: Num; most: Num; nodes: string[] | null; share: Num; except: string[] | null; attribute: string; ratio: Num } | null;
  serial: { region: string; share: Num } | null; // what main threads do alone, where other threads are idle for that
  waits?: { share: number; region: string; ranks: number[] | null; no_core?: number }; // what a kept trace says of waiting
  untraced?: boolean; // the run could have kept a trace and did not
  core_wait?: number; // share of the run within MPI without a core
  spinning?: { share: number }; // of the CPU time, threads that wait for each other
  with_mpi: boolean;
  region_of: string;
  level1: number;
  parameters: { min_pts: number; radius: number; scale: number; within: number; beyond: Num; floor: number };
  severity: Num;
  severity_degrees: Record<string, Num>;
  total: number; // of internal.regions, before they were cut
  kinds: UnitName[][];
  continuum: boolean;
  scattered: boolean;
  idle: UnitName[];
  ccr: CriticalRegion[];
  cccr: string[];
  causes: Cause[];
  joint: Joint | null; // one decision table over all causes
  lost_share: Num;
  headline: Headline; // what the first sentence is about
  second: Headline | null;
  ledger: LedgerLine[];
  ledger_units: number;
  cores: number; // 0 where not known
  crowded: boolean; // the units waited for cores
  load_balance: Num;
  runtime: Num;
  internal: {
    by: string;
    regions: { region: string; class: string; core: boolean; value: Num; time_share: Num; cycles_per_instruction: Num; file?: string; line?: number }[];
    cccr: string[];
    attributes: string[];
    classes: Record<string, Num>;
    function?: { name: string; time_share: Num; paths: number; file?: string; line?: number };
  };
  reachability?: Reachability; // with details; idle units are not in it
  warnings: string[];
}

export interface DiagnoseQuery {
  units?: "processes" | "threads" | "nodes";
  metric?: string;
  with_mpi?: boolean;
  region_of?: string;
  details?: boolean; // decision tables, discernibility matrices and reachability too
}

// CPU utilisation over time, node by node; empty where it was not sampled.
export interface Samples {
  name: string;
  nodes: { node: string; seconds: number[]; busy: number[] }[];
}

// ---- words

export interface WordsQuery {
  vocabulary?: string[]; // saved vocabularies, over the shipped words
  logic?: string; // min, product, compensatory
}

export interface ClassifyQuery extends WordsQuery {
  metric?: string; // default time_share
  term?: string[]; // default: all of the metric
  across?: "mean" | "max" | "each"; // default mean
  top?: number; // at most this many rows; default 500
}

export interface Classification {
  experiment: string;
  metric: string;
  quantity: string;
  across: "mean" | "max" | "each";
  terms: string[];
  rows: { region: string; unit?: UnitName; share: Num; value: Num; terms: Record<string, Num> }[];
  words: string; // here and below: as the terminal says it
  total: number; // rows there are, before top
  warnings: string[];
}

// A point that can be dragged along x: params[param] = x - base.
export interface Control {
  x: number;
  y: number;
  param: number;
  base: number;
}

export interface Term {
  name: string;
  meaning: string; // as written: "S(0.1, 0.4)", "not low"
  shape: string | null; // "S", "triangle", …; null where it is made of other terms
  params: number[]; // of the shape
  controls: Control[]; // empty where it cannot be dragged
  global: boolean; // can be said of any metric
  x: number[]; // the curve
  y: number[];
}

export interface Variable {
  name: string;
  about: string;
  metric: string;
  universe: [number, number];
  terms: Term[];
}

export interface Histogram {
  edges: number[]; // one more than counts
  counts: number[];
  below: number; // values outside the universe
  above: number;
  missing: number;
}

// The words of the vocabulary; of an experiment only those that can be said
// of it, with the histogram of its regions' values beneath.
export interface Terms {
  variables: (Variable & { histogram?: Histogram })[];
}

// Changed terms, as one drags: meanings by term name.
export interface TryTerms {
  variable: string;
  meanings: Record<string, string>; // "high": "S(0.2, 0.5)"
  across?: "mean" | "max" | "each";
  vocabulary?: string[];
}

export interface Tried {
  variable: Variable;
  classification: Classification;
}

export interface Vocabulary {
  name: string;
  file: string; // for --vocabulary on the command line
  variables: string[];
  toml: string;
}

export interface Vocabularies {
  vocabularies: Vocabulary[];
}

export interface SaveVocabulary {
  name: string;
  replace?: boolean;
  based_on?: string[]; // saved vocabularies that the changes are made to
  variables: { variable: string; meanings: Record<string, string> }[];
}

// ---- queries

export interface QueryQuestion extends WordsQuery {
  experiments: string[];
  query: string;
  top?: number; // at most this many rows; default 500
}

export interface Answer {
  query: string; // in normal form
  experiments: number; // searched
  by: "region" | "name" | "unit" | "summary";
  metrics: string[];
  rows: { experiment: string; region: string | null; unit: UnitName | null; node?: string; share: Num; degree: Num; metrics: Record<string, Num> }[];
  words: string;
  total: number; // rows there are, before top
  limited: boolean; // more may fit than LIMIT leaves
  sql: string;
  warnings: string[];
}

export interface CompleteQuestion extends WordsQuery {
  experiments: string[];
  query: string;
  cursor: number; // in UTF-16 units
}

export interface Completion {
  from: number; // what is replaced, in UTF-16 units
  to: number;
  options: { text: string; kind: "metric" | "term" | "modifier" | "keyword" | "shape" | "experiment" | "region" | "field" | "value"; about: string }[];
}

// ---- rules and contracts

export interface Evidence {
  statement: string;
  quantity: string;
  value: Num;
  baseline: Num;
  degree: Num;
}

export interface Rules {
  experiment: string;
  baseline: string;
  problems: {
    problem: string;
    about: string;
    degree: Num;
    by: string;
    rule: string;
    advice: string;
    places: { region?: string; unit?: UnitName; degree: Num; severity: Num; evidence: Evidence[] }[];
  }[];
  words: string;
  because: string[][]; // of each problem: what each of its places rests on
  absent: string[];
  unjudged: { problem: string; why: string }[];
  warnings: string[];
}

export interface Clause {
  clause: string;
  requires: string;
  region?: string;
  regions: number;
  needs: number;
  degree: Num;
  holds: boolean | null;
  why?: string;
  evidence: Evidence[];
  words: string;
}

export interface Checked {
  experiment: string;
  holds: boolean | null;
  clauses: Clause[];
  broken: Clause[];
  unjudged: Clause[];
}

// ---- bottlenecks and similarity

export interface BottleneckQuery extends WordsQuery {
  metric?: string; // default time_share
  threshold?: number; // default 0.1
  upper?: number;
  severity?: string[]; // "high=S(0.9,1)"
  negligible?: string; // a shape
  no_negligible?: boolean;
}

export interface Curve {
  name: string; // "negligible", or the severity's word
  x: number[];
  y: number[];
}

export interface Bottlenecks {
  experiment: string;
  metric: string;
  threshold: number;
  upper: number;
  negligible_set: string;
  severity_sets: { name: string; set: string }[];
  rows: { region: string; unit?: UnitName; share: Num; value: Num; crisp: boolean; negligible: Num; severity: Record<string, Num> }[];
  warnings: string[];
  curves: Curve[];
  values: { region: string; value: number }[]; // largest first
  words: string;
  total: number; // rows there are, before top
  over: number; // of these pass the threshold
}

export interface ScoreMetric {
  metric: string;
  shape: string;
  weight: number;
}

export interface SimilarQuery extends WordsQuery {
  metric?: string[];
  region?: string[];
  factor?: string[];
  distance?: string;
  over?: "mean" | "max" | "total";
  paper_base?: boolean;
}

export interface SimilarExperiments {
  kind: "experiments";
  words: string[]; // a sentence a finding
  total: number; // regions there are, before they were cut
  base: string;
  experiments: string[]; // the base first
  metrics: ScoreMetric[];
  distance: string;
  over: string;
  paper_base: boolean;
  factors: Record<string, Num[]>;
  factor_info: { name: string; category: string; set: string; values: (number | string | null)[]; controllable: boolean }[];
  program: Num[];
  regions: { region: string; similarity: Num[]; values: Num[][] }[];
  findings: {
    factor: string;
    category: string;
    others: string;
    region: string;
    experiments: string[];
    pair: string[]; // the two that the similarities are of
    factor_similarity: Num;
    performance_similarity: Num;
    same_value_similarity: Num;
    uncontrolled: string[];
    word: string;
    sensitive: boolean;
  }[];
  warnings: string[];
}

export interface SimilarUnits {
  kind: "units";
  words: string;
  experiment: string;
  region: string;
  metrics: ScoreMetric[];
  distance: string;
  units: UnitName[];
  matrix: Num[][] | null;
  typical: Num[];
  rows: { unit: UnitName; values: Num[]; similarity: Num; odd: boolean }[];
  odd: UnitName[];
  warnings: string[];
}

export interface SimilarRegions {
  kind: "regions";
  words: string;
  experiment: string;
  metrics: ScoreMetric[];
  distance: string;
  regions: string[];
  values: Num[][];
  matrix: Num[][];
  warnings: string[];
}

export type Similar = SimilarExperiments | SimilarUnits | SimilarRegions;

export interface Comparison {
  a: string;
  b: string;
  time_metric: string;
  metric: string;
  unit: string;
  by: "path" | "name";
  over: string;
  runtime: { a: Num; b: Num; ratio: Num; significant: boolean | null };
  efficiency: { a: Efficiency; b: Efficiency };
  factors: { name: string; a: number | string | null; b: number | string | null }[];
  regions: { region: string; share: Num; kind: Kind; a: Num; b: Num; ratio: Num; significant: boolean | null }[];
  words: string; // as the terminal has it
  total: number; // regions there are, before top
  warnings: string[];
}

// ---- studies of many points

export interface Axis {
  name: string;
  values: string[];
}

export interface Studies {
  studies: { name: string; kind: string; axes: Axis[]; points: number }[];
}

export interface StudyRow {
  values: string[];
  seconds: number;
  low?: number;
  high?: number;
  kept?: string; // the experiment, prediction or replay that was stored
}

export interface StudyCell {
  seconds: number; // of the shortest point
  worst: number;
  points: number;
  values: string[]; // of the shortest point, on all axes
}

export interface StudyPicture {
  x: string;
  y: string; // "" where there is one axis
  columns: string[];
  rows: string[];
  cells: (StudyCell | null)[][];
  best: { row: number; column: number };
  cliff: { across: boolean; from: number; to: number } | null;
}

export interface Study {
  status: {
    name: string;
    kind: string;
    points: number;
    done: number;
    failed: number;
    missing: number;
    twice: number;
    wall: number;
    stopped: boolean;
    jobs: unknown[]; // that were submitted to Slurm
    running: string[];
    errors: { error: string; points: number; first: string }[];
  };
  table: {
    name: string;
    kind: string;
    axes: Axis[];
    points: number;
    done: number;
    failed: number;
    rows: StudyRow[];
    effects: { axis: string; share: number; ratio: number; chance: number; best: string }[];
    unexplained: number;
    cliff: { axis: string; from: string; to: string; ratio: number; usual: number } | null;
    picture: StudyPicture | null;
    next?: { values: string[]; in_grid: boolean; expected_seconds?: number; gain_seconds?: number; why: string }[];
    words: string;
  };
  total: number;
}

// ---- prediction and simulation

export interface PredictionListed {
  name: string;
  created: string;
  program: string;
  platforms: string[];
  np: number[];
  opt: string[];
}

export interface Predictions {
  predictions: PredictionListed[];
}

export interface PredictedRow {
  np: number;
  opt: string;
  platform: string;
  extrapolated?: boolean; // so many processes were not run
  method: string;
  predicted_seconds: Num;
  low_seconds: Num; // the prediction's interval
  high_seconds: Num;
  measured_seconds: Num;
  error: Num;
  measured_command_seconds: Num; // with the start of MPI
  slowdown: Num;
  gain: Num;
  build_seconds: number; // what the prediction cost
  obtain_traces_seconds: number;
  simulation_seconds: number;
  seconds_per_prediction: number;
  runs: number;
  actions: number;
  ranks: RankTime[];
  busiest_link?: { name: string; bytes: number; utilisation: number }; // of the replay
  simulation: string | null; // name of the replay behind it, where it was kept
}

export interface LoopUse {
  file: string;
  line: number;
  unit: string;
  method: string;
  reason: string;
  cuts: Cut[] | null;
}

/** What became of a loop that was to be cut short, with one level and count. */
export interface Cut {
  np: number;
  opt: string;
  iterations_run: number;
  iterations: number;
  seconds_added: number;
  why?: string;
  deviation: number;
  curve?: { iterations: number; seconds: number }[] | null; // how its mean settled
  levels?: { epsilon: number; iterations: number }[] | null; // from where on it stayed that near
}

export interface Prediction {
  name: string;
  created: string;
  program: string;
  build: string;
  run: string;
  method: string;
  reference_speed: number;
  predictions: PredictedRow[];
  loops: LoopUse[] | null;
  best: number; // position of the shortest
  words: string;
  notes: string[];
}

export interface SimulationListed {
  name: string;
  created: string;
  ranks: number;
  platform: string;
  simulated_seconds: number;
}

export interface Simulations {
  simulations: SimulationListed[];
}

export interface RankTime {
  finish: number;
  compute: number;
  sleep: number;
  send: number;
  receive: number;
  wait: number;
  collective: number;
}

// What links can carry and did carry; of several in a row the narrowest and
// the busiest, of both directions the busier.
export interface LinkLoad {
  links: string[]; // names, without direction; empty where two nodes only touch
  bandwidth: number; // bytes/s
  latency: number; // s
  bytes: number; // carried
  utilisation: number; // 0 to 1
}

// The platform as a graph: a host, some hosts alike ("hosts", count says how
// many), a place where links meet ("switch", without a name), or a link that
// more than two share ("link", with its load).
export interface PlatformNode extends LinkLoad {
  id: string;
  name: string;
  kind: "host" | "hosts" | "switch" | "link";
  count: number; // hosts that it stands for
  speed: number; // flop/s, 0 for others than hosts
  ranks: number[]; // that ran there
}

export interface PlatformEdge extends LinkLoad {
  from: string;
  to: string;
}

export interface PlatformGraph {
  nodes: PlatformNode[];
  edges: PlatformEdge[];
  hosts: number; // of the platform; nodes may be fewer where they were joined
}

export interface Simulation {
  name: string;
  created: string;
  platform: string;
  command: string;
  simulated_seconds: number;
  actions: number;
  ranks: RankTime[];
  hosts: string[]; // by rank
  links: { name: string; bytes: number; utilisation: number }[];
  graph: PlatformGraph;
  notes: string[];
}

export interface TimelineQuery {
  from?: number; // seconds
  to?: number;
  from_rank?: number;
  to_rank?: number; // past the end
  cols?: number; // resolution in time
  rows?: number; // at most this many rows
}

export type Part = "compute" | "sleep" | "send" | "receive" | "wait" | "collective";

// What ranks did when. Bars shorter than a column are summed up: part is then
// the one that took most of the time, and busy says how much of the bar.
export interface Timeline {
  name: string;
  from: number;
  to: number;
  ranks: number;
  rows: { from: number; to: number }[]; // ranks, to is past the end
  parts: Part[];
  // Bars, one after the other: five parallel lists.
  row: number[]; // position in rows
  part: number[]; // position in parts
  begin: number[];
  end: number[];
  share: number[]; // of the bar's time spent in that part, 0 to 1
}

// ---- source

export interface SourceFile {
  file: string; // as regions name it
  available: boolean;
  share: Num; // of the run, exclusive
  regions: number;
}

export interface SourceFiles {
  name: string;
  files: SourceFile[]; // the largest share first
}

export interface Source {
  name: string;
  file: string;
  lines: string[];
  marks: { line: number; region: string; kind: Kind; exclusive: Num; inclusive: Num; share: Num }[]; // by line
}

// ---- asking

const root = "/api/v1";

type Param = string | number | boolean | string[] | undefined;
type Params = { [name: string]: Param };

// Parameters that say how much fits the screen; a report holds one size.
const layout = new Set(["rows", "cols"]);

// address writes a question: parameters sorted by name, empty ones left out.
export function address(path: string, params: object = {}, ignore: Set<string> = new Set()): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(params).sort()) {
    const value = (params as Params)[name];
    if (value === undefined || value === "" || value === false || ignore.has(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  const text = query.toString();
  return root + path + (text ? "?" + text : "");
}

// The answers a report brings with it; null on the live page.
let embedded: Record<string, unknown> | null | undefined;

function report(): Record<string, unknown> | null {
  if (embedded === undefined) {
    const data = document.getElementById("auspex-data");
    embedded = data?.textContent ? (JSON.parse(data.textContent).answers as Record<string, unknown>) : null;
  }
  return embedded;
}

// live tells whether a server answers: queries, dragging and zoom need one.
export function live(): boolean {
  return report() === null;
}

async function fail(response: Response): Promise<never> {
  let failure: Failure = { message: `${response.status} ${response.statusText}` };
  try {
    failure = (await response.json()).error;
  } catch {
    // not ours: the status line is all there is
  }
  throw new ApiError(response.status, failure);
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...init });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new ApiError(0, { message: "the server does not answer; is auspex serve still running?" });
  }
  return response.ok ? response : fail(response);
}

async function get<T>(path: string, params: object = {}, signal?: AbortSignal): Promise<T> {
  const answers = report();
  if (answers) {
    const found = answers[address(path, params, layout)];
    if (found === undefined) throw new ApiError(0, { message: "this is not part of the report" });
    return found as T;
  }
  return (await reach(address(path, params), { signal })).json() as Promise<T>;
}

async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  if (!live()) throw new ApiError(0, { message: "a report cannot do this; auspex serve can" });
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  return (await reach(root + path, init)).json() as Promise<T>;
}

export interface Progress {
  stage: string; // what is being done, in a few words
  seconds: number; // since the question was asked
}

// watch asks a question that may take long. The answer comes as lines of JSON:
// {"progress": …} as often as there is something to tell, then {"answer": …}
// or {"error": …}.
async function watch<T>(path: string, params: object, progress?: (p: Progress) => void, signal?: AbortSignal): Promise<T> {
  if (!live() || !progress) return get<T>(path, params, signal);
  const response = await reach(address(path, params), { signal, headers: { Accept: "application/x-ndjson" } });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    pending += value ?? "";
    const lines = pending.split("\n");
    pending = lines.pop()!;
    for (const line of lines) {
      if (!line) continue;
      const message = JSON.parse(line) as { progress?: Progress; answer?: T; error?: Failure };
      if (message.progress) progress(message.progress);
      if (message.error) throw new ApiError(400, message.error);
      if (message.answer !== undefined) return message.answer;
    }
    if (done) throw new ApiError(0, { message: "the server ended before it had answered" });
  }
}

const at = (name: string, rest = "") => "/experiments/" + encodeURIComponent(name) + rest;

export const api = {
  about: () => get<About>("/about"),
  experiments: () => get<Listing>("/experiments"),

  glances: (experiment: string[], signal?: AbortSignal) => get<Glances>("/glances", { experiment }, signal),

  experiment: (name: string, by?: string) => get<Summary>(at(name), { by }),
  table: (name: string, q: RegionTableQuery = {}, signal?: AbortSignal) => get<RegionTable>(at(name, "/table"), q, signal),
  region: (name: string, region: string, by?: string) => get<RegionPage>(at(name, "/region"), { region, by }),
  calltree: (name: string, metric?: string, against?: string) =>
    get<CallTree>(at(name, "/calltree"), { metric, against }),
  regions: (name: string, metric?: string) => get<RegionTree>(at(name, "/regions"), { metric }),
  units: (name: string) => get<UnitTimes>(at(name, "/units")),
  metrics: (name: string) => get<Metrics>(at(name, "/metrics")),
  heatmap: (name: string, q: HeatmapQuery, signal?: AbortSignal) => get<Heatmap>(at(name, "/heatmap"), q, signal),
  // the words at once, details where they are drawn
  diagnose: (name: string, q: DiagnoseQuery = {}, progress?: (p: Progress) => void, signal?: AbortSignal) =>
    watch<Diagnosis>(at(name, "/diagnose"), q, progress, signal),
  samples: (name: string) => get<Samples>(at(name, "/samples")),
  rules: (name: string, baseline?: string) => get<Rules>(at(name, "/rules"), { baseline }),
  check: (name: string, contract: string, baseline?: string) => post<Checked>(at(name, "/check"), { contract, baseline }),

  classify: (name: string, q: ClassifyQuery = {}) => get<Classification>(at(name, "/classify"), q),
  bottlenecks: (name: string, q: BottleneckQuery = {}) => get<Bottlenecks>(at(name, "/bottlenecks"), q),
  // force: also programs that have nothing in common
  compare: (a: string, b: string, force?: boolean) => get<Comparison>("/compare", { a, b, force: force ? "true" : undefined }),
  trace: (name: string, q: TraceQuery = {}, signal?: AbortSignal) => get<TracePicture>(at(name, "/trace"), q, signal),
  opportunities: (name: string, progress?: (p: Progress) => void, signal?: AbortSignal) =>
    watch<Opportunities>(at(name, "/opportunities"), {}, progress, signal),
  // null where the experiment does not come from a training job, or has no devices
  stragglers: (name: string) => get<Stragglers | null>(at(name, "/stragglers")),
  devices: (name: string) => get<Devices | null>(at(name, "/devices")),
  whatif: (name: string, q: ChangesQuery, signal?: AbortSignal) => get<Priced>(at(name, "/whatif"), q, signal),
  scaling: (experiment: string[], force?: boolean) => get<Scaling>("/scaling", { experiment, force: force ? "true" : undefined }),
  // the base first; one experiment with one region compares units, with several regions
  similar: (experiment: string[], q: SimilarQuery = {}, progress?: (p: Progress) => void, signal?: AbortSignal) =>
    watch<Similar>("/similar", { ...q, experiment }, progress, signal),

  terms: (vocabulary?: string[]) => get<Terms>("/terms", { vocabulary }),
  termsOf: (name: string, vocabulary?: string[]) => get<Terms>(at(name, "/terms"), { vocabulary }),
  tryTerms: (name: string, q: TryTerms, signal?: AbortSignal) => post<Tried>(at(name, "/terms"), q, signal),
  vocabularies: () => get<Vocabularies>("/vocabularies"),
  saveVocabulary: (v: SaveVocabulary) => post<Vocabulary>("/vocabularies", v),

  query: (q: QueryQuestion, signal?: AbortSignal) => post<Answer>("/query", q, signal),
  complete: (q: CompleteQuestion, signal?: AbortSignal) => post<Completion>("/complete", q, signal),

  studies: () => get<Studies>("/studies"),
  study: (name: string) => get<Study>("/studies/" + encodeURIComponent(name)),
  predictions: () => get<Predictions>("/predictions"),
  prediction: (name: string) => get<Prediction>("/predictions/" + encodeURIComponent(name)),
  simulations: () => get<Simulations>("/simulations"),
  simulation: (name: string) => get<Simulation>("/simulations/" + encodeURIComponent(name)),
  timeline: (name: string, q: TimelineQuery = {}, signal?: AbortSignal) =>
    get<Timeline>("/simulations/" + encodeURIComponent(name) + "/timeline", q, signal),

  sources: (name: string) => get<SourceFiles>(at(name, "/sources")),
  source: (name: string, file: string) => get<Source>(at(name, "/source"), { file }),
};
