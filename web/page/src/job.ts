// What the traces of a training job tell: `auspex stragglers` and `auspex device`.

type Num = number | null;

export interface Stragglers {
  seconds: number;
  ideal_seconds: Num;
  slowdown: Num;
  ranks: JobRank[];
  stages: { stage: number; slowdown: number }[] | null;
  kinds: { kind: string; slowdown: number }[] | null;
  steps: JobStep[] | null;
  worst_workers: Num; // the share of the slowdown that the worst 3 % of the workers explain
  last_stage: Num;
  stragglers: Straggler[] | null;
  holds: Hold[] | null;
  uniform: unknown; // against an earlier run
  pace: { what: string; operator: string; count: number; mean_seconds: number }[] | null;
  world: number;
  present: number;
  clock_residual_seconds: Num;
  notes: string[] | null;
  words: string;
}

export interface JobRank {
  rank: number;
  slowdown: Num;
  late_seconds: Num;
  step_seconds: Num;
  kernel_seconds: Num;
  collective_seconds: Num;
  copied_bytes: Num;
  regions: { region: string; seconds: number }[] | null;
}

export interface JobStep {
  step: number;
  seconds: number;
  last_rank: Num;
  waited_seconds: number;
}

export interface Straggler {
  rank: number;
  side: "host" | "device" | "network";
  cause: string;
  region: string;
  operators: { operator: string; seconds: number; others_seconds: number }[] | null;
  pattern: string;
  seconds: number;
  others_seconds: number;
  late_seconds: number;
  lost_share: number;
  fix: string;
}

/** What costs all ranks alike. */
export interface Hold {
  cause: string;
  what: string; // the range, operator, layer or memory; "" for none
  when: string; // "" for most steps
  seconds: number; // on the typical rank
  share: number; // of the job’s time, gained at most
  fix: string;
}

/** Where the time of a device went; what it does at once counts for both. */
export interface Breakdown {
  computing_seconds: number;
  communicating_seconds: number;
  both_seconds: number;
  overlap: Num;
  copying_seconds: number;
  idle_seconds: number;
}

export interface Device {
  rank: number;
  device: string;
  seconds: number;
  breakdown: Breakdown;
  steps: ({ step: number; seconds: number } & Breakdown)[];
  streams: DeviceStream[] | null;
  kernels: DeviceKernel[] | null;
  operators: DeviceOperator[] | null;
  modules: DeviceOperator[] | null;
  annotations: DeviceOperator[] | null;
  patterns: { operator: string; kernels: string[]; count: number; seconds: number }[] | null;
  launches: Record<string, number>;
  copies: { kind: string; count: number; bytes: number; seconds: number; bytes_per_second: number; most_bytes_per_second: number; bandwidths: Distribution | null }[] | null;
  critical_path: Record<string, number>;
  kinds: { kind: string; count: number; seconds: number; share: number }[] | null;
  memory: Record<string, number>[] | null;
  counters: DeviceCounter[] | null;
  words: string;
}

/** A counter of the accelerator over all runs of a kernel that one operator launched. */
export interface DeviceCounter {
  kernel: string;
  operator: string; // "" where it is not known
  counter: string;
  count: number;
  sum: number;
  mean: number;
}

export interface DeviceStream {
  stream: number;
  intervals: number;
  busy_seconds: number;
  host_late_seconds: number;
  kernel_gap_seconds: number;
  other_seconds: number;
  queue_max: number; // launched and not begun
  queue_mean: number;
  queue_full_seconds: number;
  host_late_gaps: Distribution | null;
  kernel_gaps: Distribution | null;
  other_gaps: Distribution | null;
  queue: Distribution | null;
}

/** How values are spread. */
export interface Distribution {
  count: number;
  mean: number;
  deviation: number;
  least: number;
  quarter: number;
  median: number;
  three_quarters: number;
  most: number;
}

export interface DeviceKernel {
  kernel: string;
  kind: string;
  count: number;
  seconds: number;
  share: number;
  mean_seconds: number;
  least_seconds: number;
  most_seconds: number;
  deviation_seconds: number;
}

export interface DeviceOperator {
  name: string;
  kernels: number;
  seconds: number;
  calls: number;
  host_seconds: number; // in the operator itself
  launch_delay_seconds: number; // to its first launch, and from there
  start_delay_seconds: number; // to that kernel, in the mean
}

export interface Devices {
  devices: Device[];
  across_ranks: { kernel: string; kind: string; ranks: { rank: number; count: number; seconds: number; mean_seconds: number }[]; spread: number }[] | null;
}
