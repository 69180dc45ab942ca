// Answers about lists of runs, regions and call trees; api.ts has the others.
import type { Efficiency, Headline, Heatmap, Kind, Num, RegionTime, TreeNode } from "./api";

/** What a list of runs says of one. */
export interface Glance {
  name: string;
  id: string;
  processes: number;
  threads: number;
  runtime: Num;
  efficiency: Efficiency;
  loss: Headline | null; // null where nothing costs enough to be called one
  whole: number; // what all regions lose in the way of loss
  timed: boolean; // whether time was measured
}

export interface Glances {
  glances: Glance[];
}

export interface RegionRow extends RegionTime {
  inclusive: Num;
  inclusive_share: Num;
}

export interface RegionTable {
  name: string;
  by: "path" | "name";
  note?: string;
  metric: string;
  unit: string;
  timed: boolean; // the experiment has times; else all are of what was counted
  units: number;
  regions: number; // of the experiment
  total: number; // that fit
  covered: Num; // share of the run that the rows take
  rows: RegionRow[];
  warnings: string[];
}

export interface RegionTableQuery {
  metric?: string;
  by?: string;
  find?: string;
  top?: number;
}

export interface MetricSpread {
  min: Num;
  mean: Num;
  max: Num;
}

export interface Related {
  region: string;
  name: string;
  mean: Num; // inclusive, over all units
  share: Num;
}

export interface RegionPage {
  name: string; // of the experiment
  region: string;
  by: "path" | "name";
  kind: Kind;
  file?: string;
  line?: number;
  units: number;
  entered: number; // units that spent time in it
  share: Num;
  inclusive_share: Num;
  metrics: { metric: string; unit: string; own: MetricSpread; inclusive: MetricSpread; share: Num }[];
  metrics_left: number; // not read, as that would take too long
  own: Heatmap | null; // one row: its own time over the units
  callers: Related[];
  callees: Related[];
  paths: Related[];
  paths_of: number;
}

export interface CallNode extends TreeNode {
  width: Num; // of its block: inclusive, or alone where nobody knows who calls whom
  max_over_mean: Num; // of the inclusive values
  other: Num; // inclusive, in the other run
}

/** Depth first, the heaviest of siblings first. */
export interface CallTree {
  name: string;
  against?: string;
  metric: string;
  unit: string;
  timed: boolean; // the experiment has times
  units: number;
  flat: boolean; // the profile knows no callers
  total: number;
  whole: number; // the widths of the roots together
  run: number; // of the slowest unit: what shares are of
  tree: CallNode[];
}

export interface ScalingModel extends GrowthTerm {
  c0: number;
  shared: number; // over p
  smape: number;
  formula: string;
  next: ScalingNext[];
}

export interface GrowthTerm {
  c: number;
  i: number;
  j: number;
}

export interface ScalingNext {
  ranks: number;
  seconds: Num;
  interval: [Num, Num] | Num[];
}

export interface ScalingRun {
  name: string;
  ranks: number;
  threads: number; // of a process, that compute
  count: number; // of what there are more of
  run_seconds: Num;
  on_cores: Num; // how much of the time of computation is CPU time, against the smallest run
  speedup: Num;
  efficiency: Num;
  parallel: Num;
  load_balance: Num;
  communication: Num;
  serialization: Num;
  transfer: Num;
  start_end: Num; // what starting and ending leave; part of communication and transfer
  computation_scalability: Num;
  ipc_scalability: Num;
  instruction_scalability: Num;
  frequency_scalability: Num;
  global: Num;
}

export interface Scaling {
  kind: string;
  of: string; // what there are more of: processes, threads, or threads in all
  kind_by: string;
  growth: number;
  runs: ScalingRun[];
  factors: { name: string; values: unknown[] }[];
  regions: { region: string; seconds: Num[]; ideal_seconds: Num; excess_share: Num; model: ScalingModel | null }[];
  kept: { region: string; seconds: Num[]; excess_share: Num }[];
  model: { c0: number; terms: GrowthTerm[]; formula: string; next: ScalingNext[] } | null; // the sum of the regions'
  words: string;
  warnings: string[];
}

// ---- measured traces and changes to them

export interface TraceQuery {
  from?: number; // seconds
  to?: number;
  from_lane?: number;
  to_lane?: number; // past the end
  rows?: number;
  cols?: number;
  // with changes, what the ranks would do then
  faster?: string[];
  balance?: string[];
  network?: string[];
  noise?: string[];
}

export interface TraceBars {
  row: number[];
  part: number[];
  begin: number[];
  end: number[];
  share: number[];
}

/** What every location of a measured trace did in a window of time. */
export interface TracePicture {
  name: string;
  run_seconds: number;
  from: number;
  to: number;
  ranks: number;
  lanes: number;
  rows: { from: { rank: number; thread: number }; to: { rank: number; thread: number } }[];
  parts: string[];
  calls: number; // the first parts are calls and pauses, the others regions
  bars: TraceBars;
  causes: string[];
  waits: TraceBars; // part is a position in causes
  critical_path: { row: number[]; begin: number[]; end: number[] };
  messages: { count: number; from_row: number[]; to_row: number[]; sent: number[]; arrived: number[]; bytes: number[] };
  notes: string[] | null;
}

export interface Opportunities {
  name: string;
  base_seconds: number;
  measured: boolean;
  opportunities: { change: string; words: string; region: string; gain: number; new_seconds: number; gain_after_first: number | null }[];
  shares: { change: string; region: string; seconds: number; share: number }[] | null;
  loss_seconds: number;
  tried: number;
  replays: number;
  bound: boolean;
  notes: string[] | null;
  words: string;
  regions: string[]; // that sliders can be there for
}

/** What changes would bring. */
export interface Priced {
  name: string;
  base_seconds: number;
  new_seconds: number;
  gain: number;
  interval: number[];
  changes: string[];
  limit: { by: string; rank: number; ranks: number[]; region: string; load_balance: number; communication: number };
  measured: boolean;
  replayed_base_seconds: number;
  bound: boolean;
  notes: string[] | null;
  words: string;
}

export interface ChangesQuery {
  faster?: string[]; // "REGION=2"
  balance?: string[]; // a region, or all
  network?: string[]; // "ideal", "bandwidth=2x", "latency=0"
  noise?: string[]; // "none"
}
