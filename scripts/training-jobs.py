#!/usr/bin/env python3
"""Runs small data-parallel training jobs with one cause of delay planted.

    training-jobs.py OUT [--ranks 2,4,8] [--seeds 1,2] [--seconds 540] [--more]

Every job is a PyTorch DistributedDataParallel program over gloo whose ranks
share one accelerator. One rank (or none) has a cause planted; OUT/wN-SEED.tar.xz
holds a folder a job with the Kineto trace of each rank and truth.json, which
says what was planted where. Unpacked, AUSPEX_TRAINING_JOBS=FOLDER go test
-run TestJobs -v ./training counts the right answers; docs/training.md tells
what they were.
"""
import argparse, ctypes, gc, json, mmap, os, random, shutil, subprocess, sys, tempfile, threading, time, zlib

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function, schedule

# What is planted, and on which side a reader of the traces should find it.
CAUSES = {
    "loader": "host", "loader-sleep": "host", "work": "device", "collector": "host",
    "save": "host", "save-once": "host", "busy-core": "host", "slow-kernels": "device",
    "slow-start": "host", "slow-link": "network", "now-and-then": "host", "drift": "host",
    "sync": "host", "slow-python": "host", "copies": "device", "optimizer": "host",
}
# A second list, made after the rules were set on the first. Where a cause lies
# on both sides, either is right.
MORE = {
    "evaluation": "host device", "logging": "host", "empty-cache": "host device", "longer": "device",
    "background-thread": "host", "fresh-memory": "host", "small-copies": "host device",
    "read-file": "host", "one-core": "host", "two": "host",
}
# Nobody is to blame: every rank starts cold, or the heavy part goes round.
ROUND = ["cold", "rotating", "all-evaluate"]
WARMUP = 6  # steps before the first that is profiled

# Slows down what one rank sends: loaded before the C library.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
static volatile double per_byte;
void slow_link(double s) { per_byte = s; }
static void hold(ssize_t n) {
    if (n < 4096 || per_byte <= 0) return;
    double s = n * per_byte;
    struct timespec t = {(time_t)s, (long)((s - (time_t)s) * 1e9)};
    nanosleep(&t, 0);
}
ssize_t writev(int fd, const struct iovec *v, int n) {
    static ssize_t (*real)(int, const struct iovec *, int);
    if (!real) real = dlsym(RTLD_NEXT, "writev");
    ssize_t r = real(fd, v, n); hold(r); return r;
}
ssize_t sendmsg(int fd, const struct msghdr *m, int f) {
    static ssize_t (*real)(int, const struct msghdr *, int);
    if (!real) real = dlsym(RTLD_NEXT, "sendmsg");
    ssize_t r = real(fd, m, f); hold(r); return r;
}
"""


class Model(torch.nn.Module):
    def __init__(self, width, blocks):
        super().__init__()
        self.blocks = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0, batch_first=True)
            for _ in range(blocks))
        self.head = torch.nn.Linear(width, 16)

    def forward(self, x, each=None):
        for block in self.blocks:
            x = block(x)
            if each:
                each()
        return self.head(x)


def burn(seconds):
    end, n = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        n += 1


class Job:
    """One job of one rank: the same seed gives the same plan on all ranks."""

    def __init__(self, rank, world, cause, seed, shim):
        r = random.Random(f"{cause}-{world}-{seed}")
        self.rank, self.world, self.cause, self.shim = rank, world, cause, shim
        self.victim = r.randrange(world) if cause in CAUSES or cause in MORE else -1
        if cause in ("evaluation", "logging"):
            self.victim = 0
        self.mine = rank == self.victim
        self.second = (self.victim + 1 + r.randrange(world - 1)) % world if cause == "two" and world > 2 else -1
        self.steps = r.choice([3, 3, 3, 5])
        self.width = r.choice([384, 512])
        self.blocks = 2
        self.delay = r.uniform(0.02, 0.09)
        self.factor = r.choice([2, 3, 4])
        self.chosen = WARMUP + r.randrange(self.steps)
        self.odd = {WARMUP + i for i in range(self.steps) if r.random() < 0.4} or {self.chosen}
        self.named = r.random() < 0.5
        self.pairs = cause == "slow-link"
        self.all_slow = cause == "all-slow"
        self.noise = random.Random(f"{cause}-{world}-{seed}-{rank}")
        torch.manual_seed(seed)
        model = Model(self.width, self.blocks).cuda()
        self.model = DistributedDataParallel(model, bucket_cap_mb=4)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.batch = 8 * (self.factor if self.mine and cause == "work" else 1)
        self.length = 128 * (self.factor if self.mine and cause == "longer" else 1)
        self.stop = False
        if self.mine and cause == "background-thread":
            threading.Thread(target=self.spin, daemon=True).start()
        if self.mine and cause == "one-core":
            self.affinity = os.sched_getaffinity(0)
            self.pin({sorted(self.affinity)[0]})
        self.ballast = None
        if self.mine and cause == "collector":
            self.ballast = [[i, [i]] for i in range(int(self.delay * 4e6))]
        if cause == "slow-start":
            self.model.register_comm_hook(None, self.late_hook)
        self.burners = []
        if self.mine and cause == "busy-core":
            core = sorted(os.sched_getaffinity(0))[rank % os.cpu_count()]
            self.affinity = os.sched_getaffinity(0)
            self.pin({core})
            for _ in range(self.factor):
                self.burners.append(subprocess.Popen(
                    ["taskset", "-c", str(core), sys.executable, "-c", "while True: pass"]))
        if self.mine and cause == "slow-link":
            shim.slow_link(self.delay * 4e-8)

    def pin(self, cores):
        for task in os.listdir("/proc/self/task"):
            try:
                os.sched_setaffinity(int(task), cores)
            except OSError:
                pass

    def spin(self):
        while not self.stop:
            sum(range(200000))

    def evaluate(self, seconds):
        end = time.perf_counter() + seconds
        with torch.no_grad():
            while time.perf_counter() < end:
                x = torch.randn(8, 128, self.width).cuda()
                float(self.model.module(x).sum())

    def more(self, step):
        """What the second list plants, after the optimizer."""
        c = self.cause
        if c == "all-evaluate" or self.mine and c == "evaluation" and step in self.odd | {self.chosen}:
            self.evaluate(self.delay)
        if c == "rotating" and step % self.world == self.rank:
            burn(self.delay)
        if c == "two" and self.rank in (self.victim, self.second):
            burn(self.delay)
        if not self.mine:
            return
        if c == "logging":
            end = time.perf_counter() + self.delay
            with tempfile.TemporaryFile("w") as f:
                while time.perf_counter() < end:
                    f.write(json.dumps({n: float(p.sum()) for n, p in list(self.model.named_parameters())[:2]}) + "\n")
                    f.flush()
        if c == "empty-cache":
            for _ in range(self.factor * 4):
                held = [torch.empty(64 << 20, dtype=torch.uint8, device="cuda") for _ in range(8)]
                del held
                torch.cuda.empty_cache()
        if c == "fresh-memory":
            for _ in range(self.factor):
                mmap.mmap(-1, 64 << 20).write(b"x" * (64 << 20))
        if c == "small-copies":
            for _ in range(self.factor * 400):
                torch.ones(16).cuda()
        if c == "read-file":
            with open(sys.executable, "rb") as f:
                end = time.perf_counter() + self.delay
                while time.perf_counter() < end:
                    f.seek(0)
                    zlib.crc32(f.read())

    def late_hook(self, state, bucket):
        if self.mine:
            time.sleep(self.delay / 4)
        work = dist.all_reduce(bucket.buffer().div_(self.world), async_op=True)
        return work.get_future().then(lambda f: f.value()[0])

    def planted(self, step):
        if not self.mine:
            return 0.0
        if self.cause == "drift":
            return self.delay * (step - WARMUP + 1) / self.steps * 1.5
        if self.cause == "now-and-then":
            return self.delay * 2 if step in self.odd else 0.0
        if self.cause in ("loader", "loader-sleep", "slow-python", "optimizer"):
            return self.delay
        return 0.0

    def step(self, step, pairs):
        wait = self.planted(step)
        c = self.cause
        with record_function("load_batch"):
            if self.all_slow:
                burn(0.03 + 0.002 * self.noise.random())
            burn(0.002 + 0.0005 * self.noise.random())
            if c in ("loader", "drift"):
                burn(wait)
            if c == "loader-sleep":
                time.sleep(wait)
            x = torch.randn(self.batch, self.length, self.width)
            if c == "copies" and self.mine:
                for _ in range(self.factor * 4):
                    x.new_empty(32 << 20, dtype=torch.uint8).cuda()
            x = x.cuda()
            y = torch.randint(0, 16, (self.batch, self.length)).cuda()
        each = None
        if self.mine and c == "slow-kernels":
            each = lambda: torch.cuda._sleep(int(self.delay / self.blocks * 1.7e9))
        if self.mine and c == "sync":
            each = lambda: [float(p.sum()) for p in list(self.model.parameters()) * self.factor]
        if self.mine and c == "slow-python":
            each = lambda: burn(wait / self.blocks)
        with record_function("forward"):
            out = self.model(x, each)
            loss = torch.nn.functional.cross_entropy(out.flatten(0, 1), y.flatten())
        if c == "now-and-then" and wait:
            burn(wait)
        if self.pairs:
            with record_function("exchange"):
                t = torch.ones(1 << 20)
                for group, members in pairs:
                    if self.rank in members:
                        dist.all_reduce(t, group=group)
        with record_function("backward"):
            loss.backward()
        if c == "collector" and self.mine:
            gc.collect()
        with record_function("optimizer"):
            if c == "optimizer":
                burn(wait)
            self.optimizer.step()
            self.optimizer.zero_grad()
        self.more(step)
        if self.mine and (c == "save" or c == "save-once" and step == self.chosen):
            if self.named:
                with record_function("save"):
                    self.save(4 if c == "save-once" else 1)
            else:
                self.save(4 if c == "save-once" else 1)

    def save(self, times):
        for _ in range(times):
            with tempfile.TemporaryFile() as f:
                torch.save(self.model.state_dict(), f)
                f.flush()
                os.fsync(f.fileno())

    def truth(self):
        return {"cause": self.cause, "rank": self.victim, "side": {**CAUSES, **MORE}.get(self.cause), "second": self.second,
                "world": self.world, "steps": self.steps, "delay": self.delay,
                "factor": self.factor, "chosen": self.chosen, "odd": sorted(self.odd),
                "named": self.named, "width": self.width, "blocks": self.blocks}

    def end(self):
        self.stop = True
        for b in self.burners:
            b.kill()
            b.wait()
        if hasattr(self, "affinity"):
            self.pin(self.affinity)
        self.shim.slow_link(0.0)


KEPT = {"External id", "correlation", "stream", "device", "bytes", "Sequence number",
        "Collective name", "Group size", "In msg nelems", "Out msg nelems", "dtype",
        "Process Group Name", "Process Group Ranks", "Seq", "name", "labels", "sort_index"}


def trim(path, to):
    """Keeps what a reader needs, so that many jobs fit into few megabytes."""
    with open(path) as f:
        trace = json.load(f)
    kept = []
    for e in trace["traceEvents"]:
        if e.get("cat") in ("fwdbwd", "ac2g") or e.get("ph") == "i":
            continue
        if "args" in e:
            e["args"] = {k: v for k, v in e["args"].items() if k in KEPT}
        if e.get("cat") == "kernel":
            e["name"] = e["name"][:80]
        if e.get("ph") == "X":
            e["ts"], e["dur"] = round(e["ts"], 1), round(e["dur"], 1)
        kept.append(e)
    trace["traceEvents"] = kept
    with open(to, "w") as f:
        json.dump(trace, f, separators=(",", ":"))


def run(rank, world, out, cause, seed, shim, pairs):
    job = Job(rank, world, cause, seed, shim)
    warm = 1 if cause == "cold" else WARMUP
    folder = f"{out}/w{world}/{cause}-{seed}"
    os.makedirs(folder, exist_ok=True)
    gc.collect()
    gc.disable()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
                 schedule=schedule(wait=warm - 1, warmup=1, active=job.steps, repeat=1)) as p:
        for step in range(WARMUP - warm, WARMUP + job.steps):
            job.step(step, pairs)
            p.step()
    raw = f"{folder}/raw-{rank}.json"
    p.export_chrome_trace(raw)
    trim(raw, f"{folder}/rank{rank}.json")
    os.remove(raw)
    if rank == 0:
        with open(f"{folder}/truth.json", "w") as f:
            json.dump(job.truth(), f)
    job.end()
    gc.enable()


def worker(rank, world, out, plan, seconds, shim_path, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    shim = ctypes.CDLL(shim_path)
    shim.slow_link.argtypes = [ctypes.c_double]
    begin = time.time()
    torch.set_num_threads(2)
    dist.init_process_group("gloo", rank=rank, world_size=world)
    pairs = [(dist.new_group([i, (i + 1) % world]), (i, (i + 1) % world))
             for i in range(world if world > 2 else 1)]
    for cause, seed in plan:
        go = torch.tensor([1.0 if time.time() - begin < seconds else 0.0])
        dist.broadcast(go, 0)
        if go.item() == 0:
            break
        run(rank, world, out, cause, seed, shim, pairs)
        torch.cuda.synchronize()
        dist.barrier()
    dist.destroy_process_group()


def main():
    a = argparse.ArgumentParser()
    a.add_argument("out")
    a.add_argument("--ranks", default="2,4,8")
    a.add_argument("--seeds", default="1,2")
    a.add_argument("--seconds", type=float, default=540)
    a.add_argument("--more", action="store_true", help="plant the second list of causes")
    a = a.parse_args()
    work = tempfile.mkdtemp()
    with open(f"{work}/shim.c", "w") as f:
        f.write(SHIM)
    shim = f"{work}/shim.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", shim, f"{work}/shim.c", "-ldl"], check=True)
    os.environ["LD_PRELOAD"] = shim
    begin = time.time()
    worlds = [int(w) for w in a.ranks.split(",")]
    for i, world in enumerate(worlds):
        causes = ["balanced", "all-slow", *CAUSES, "balanced-2", "balanced-3", "balanced-4"]
        if a.more:
            causes = [*MORE, *ROUND, "balanced"]
        plan = [(c, s) for s in map(int, a.seeds.split(",")) for c in causes]
        left = a.seconds - (time.time() - begin)
        share = left * (world + 4) / sum(w + 4 for w in worlds[i:])
        mp.spawn(worker, (world, work, plan, share - 25, shim, 29500 + world), nprocs=world)
        print(world, "ranks:", len(os.listdir(f"{work}/w{world}")), "jobs,", round(time.time() - begin), "s", flush=True)
        for seed in a.seeds.split(","):
            subprocess.run(f"cd {work} && tar -cf - w{world}/*-{seed} | xz -T0 -6 > {a.out}/w{world}-{seed}.tar.xz",
                           shell=True, check=True)
        shutil.rmtree(f"{work}/w{world}")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
