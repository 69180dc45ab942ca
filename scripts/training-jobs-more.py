#!/usr/bin/env python3
"""Runs training jobs with causes that training-jobs.py does not have.

    training-jobs-more.py OUT [--ranks 8,4,2] [--seeds 8,9] [--seconds 440]

Four models, on the accelerator that all ranks share or on processors only,
over gloo, with and without ranges. The seed decides rank, model, severity and
length. OUT/wN-SEED.tar.xz (8 ranks: two halves) holds what training-jobs.py
writes: a folder a job with one trace a rank and truth.json.
"""
import argparse, contextlib, datetime, gc, importlib.util, json, os, random, shutil, subprocess, sys, tempfile, threading, time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.checkpoint import checkpoint

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("training_jobs", os.path.join(HERE, "training-jobs.py"))
first = importlib.util.module_from_spec(spec)
spec.loader.exec_module(first)
burn, trim = first.burn, first.trim

# What is planted on one rank, and on which side a reader should find it;
# where a cause lies on both sides, either is right.
CAUSES = {
    "third-step": "device",            # a larger batch in every third step
    "leak": "host",                    # a history that is walked in every step and grows
    "other-stream": "device",          # other kernels beside the model's on the rank's device
    "strided": "host device",          # as much data as the others, put together on the host before each copy
    "checkpoint": "host",              # saving in every third step
    "automatic-collector": "host",     # Python collects on its own, in a large heap
    "lock": "host",                    # a thread holds the lock that the loader needs
    "jitter": "host",                  # delays drawn from an exponential distribution
    "lengths": "device",               # lengths differ everywhere; this rank has the long ones
    "recompute": "host device",        # activations are computed again in the backward pass
    "monitor": "host",                 # a process is started in every step
    "throttle": "device",              # kernels that get slower from step to step
    "anomaly": "host device",          # autograd's check for NaN was left on
    "micro-batches": "host device",    # the same data in many small pieces
}
ON_PROCESSORS = {"leak", "checkpoint", "automatic-collector", "lock", "jitter", "monitor"}
# Nobody is to blame.
BALANCED = ["plain", "jitter-all", "lengths-all", "checkpoint-all", "plain-long"]


class Tokens(nn.Module):
    """Attention over sequences."""
    width, length = 384, 128

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(
            nn.TransformerEncoderLayer(self.width, 6, 4 * self.width, dropout=0.0, batch_first=True) for _ in range(2))
        self.head = nn.Linear(self.width, 16)

    def last(self, x):
        return self.head(x.mean(1))

    @classmethod
    def data(cls, n, length=None):
        return torch.randn(n, length or cls.length, cls.width)


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, 3, 2, 1), nn.GroupNorm(8, b), nn.ReLU())
            for a, b in ((3, 64), (64, 128), (128, 256)))
        self.head = nn.Linear(256, 16)

    def last(self, x):
        return self.head(x.mean((2, 3)))

    @staticmethod
    def data(n, length=None):
        return torch.randn(n, 3, length or 128, 128)


class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Sequential(nn.Linear(1024, 1024), nn.GELU(), nn.LayerNorm(1024)) for _ in range(4))
        self.head = nn.Linear(1024, 16)

    def last(self, x):
        return self.head(x.mean(1))

    @staticmethod
    def data(n, length=None):
        return torch.randn(n, (length or 128) // 2, 1024)


class Net(nn.Module):
    """A model part by part, with a call after each."""

    def __init__(self, model):
        super().__init__()
        self.model, self.each, self.again = model, None, False

    def forward(self, x):
        for part in self.model.parts:
            x = checkpoint(part, x, use_reentrant=False) if self.again else part(x)
            if self.each:
                self.each()
        return self.model.last(x)


class Job:
    """One job of one rank: the same seed gives the same plan on all ranks."""

    def __init__(self, rank, world, kind, seed):
        r = random.Random(f"more-{kind}-{world}-{seed}")
        self.rank, self.world, self.kind = rank, world, kind
        self.victim = r.randrange(world) if kind in CAUSES else -1
        self.mine = rank == self.victim
        self.cause = kind if self.mine else ""
        self.shape = r.choice([Tokens, Images, Dense])
        if kind in ("lengths", "lengths-all"):
            self.shape = Tokens
        self.cpu = (kind in ON_PROCESSORS or kind in BALANCED and kind != "lengths-all") and r.random() < 0.3
        self.device = "cpu" if self.cpu else "cuda"
        self.steps = r.choice([4, 5, 6])
        if kind in ("third-step", "checkpoint", "checkpoint-all", "jitter", "jitter-all"):
            self.steps = r.choice([6, 9])
        if kind == "plain-long":
            self.steps = 12
        self.warm = 3
        self.delay = r.uniform(0.03, 0.09)
        self.factor = r.choice([3, 4, 6])
        self.batch = 4 if self.cpu else r.choice([8, 16])
        self.ranges = r.choice([("load_batch", "forward", "backward", "optimizer"), ("data", "fwd", "bwd", "update"), None])
        bucket = r.choice([1, 4, 25])
        learner = r.choice([torch.optim.SGD, torch.optim.AdamW])
        self.own = random.Random(f"more-{kind}-{world}-{seed}-{rank}")
        torch.manual_seed(seed)
        self.net = Net(self.shape().to(self.device))
        self.ddp = DistributedDataParallel(self.net, bucket_cap_mb=bucket)
        self.optimizer = learner(self.net.parameters(), lr=1e-4)
        self.lock, self.stop, self.thread = threading.Lock(), threading.Event(), None
        self.history, self.heap = [], None
        self.prepare()

    def prepare(self):
        """What lasts for the whole job."""
        if self.kind == "strided":
            self.block = torch.ones(int(self.delay * 6e5), 2048)[:, ::2]  # 74 to 221 MB
            if not self.mine:
                self.block = self.block.contiguous()
        if self.cause == "other-stream":
            self.side = torch.cuda.Stream()
            self.square = torch.randn(4096, 4096, device="cuda")
        if self.cause == "recompute":
            self.net.again = True
        if self.cause == "lock":
            self.thread = threading.Thread(target=self.hold, daemon=True)
            self.thread.start()
        if self.cause == "automatic-collector":
            self.heap = [[i, [i]] for i in range(int(self.delay * 6e6))]

    def hold(self):
        """Another thread that has the loader's lock most of the time."""
        while not self.stop.is_set():
            with self.lock:
                time.sleep(self.delay)
            time.sleep(0.001)

    def range(self, i):
        return record_function(self.ranges[i]) if self.ranges else contextlib.nullcontext()

    def load(self, step):
        n, length = self.batch, None
        if self.cause == "third-step" and step % 3 == 0:
            n *= 4 * self.factor
        if self.kind in ("lengths", "lengths-all"):
            length = self.own.choice([96, 112, 128, 144])
            if self.mine:
                length, n = length * self.factor, n * 2
        burn(0.002 + 0.0005 * self.own.random())
        if self.kind == "jitter-all":
            time.sleep(self.own.expovariate(1 / 0.002))
        if self.cause == "jitter":
            time.sleep(self.own.expovariate(1 / self.delay))
        if self.cause == "lock":
            with self.lock:
                pass
        if self.kind == "strided":
            self.block.to("cuda")
        x = self.shape.data(n, length)
        return x.to(self.device), torch.randint(0, 16, (n,)).to(self.device)

    def after_part(self, step):
        """A call after each part of the model, on the rank that has the cause."""
        parts = len(self.net.model.parts)
        if self.cause == "throttle":
            share = (step - self.warm + 1) / self.steps
            return lambda: torch.cuda._sleep(int(1.7e9 * self.delay * 1.5 * max(share, 0) / parts))
        if self.cause == "other-stream":
            def beside():
                self.side.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(self.side):
                    for _ in range(int(self.delay * 350 / parts) + 1):
                        self.square = self.square @ self.square * 1e-4
                torch.cuda.current_stream().wait_stream(self.side)
            return beside
        return None

    def learn(self, x, y):
        """Forward and backward; on one rank in many small pieces."""
        pieces = 1
        if self.cause == "micro-batches":
            pieces = self.factor
        for i, (a, b) in enumerate(zip(x.chunk(pieces), y.chunk(pieces))):
            with contextlib.nullcontext() if i == pieces - 1 else self.ddp.no_sync():
                with self.range(1):
                    loss = F.cross_entropy(self.ddp(a), b) / pieces
                with self.range(2):
                    loss.backward()

    def step(self, step):
        with self.range(0):
            x, y = self.load(step)
        self.net.each = self.after_part(step)
        if self.cause == "anomaly":
            with torch.autograd.set_detect_anomaly(True):
                self.learn(x, y)
        else:
            self.learn(x, y)
        with self.range(3):
            self.optimizer.step()
            self.optimizer.zero_grad()
        if self.cause == "leak":
            self.history += [{"step": step, "values": [float(i)] * 8} for i in range(int(self.delay * 4e5))]
            sum(sum(h["values"]) for h in self.history)
        if self.cause == "automatic-collector":
            kept = [{"i": [i]} for i in range(150000)]
            del kept
        if self.cause == "monitor":
            for _ in range(self.factor):
                subprocess.run([sys.executable, "-S", "-c", "pass"], check=True)
        if (self.cause == "checkpoint" or self.kind == "checkpoint-all") and step % 3 == 0:
            self.save(self.factor // 2 + 1 if self.mine else 1)

    def save(self, times):
        for _ in range(times):
            with tempfile.TemporaryFile() as f:
                torch.save({"model": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}, f)
                f.flush()
                os.fsync(f.fileno())

    def truth(self):
        return {"cause": self.kind, "rank": self.victim, "side": CAUSES.get(self.kind, ""), "second": -1,
                "world": self.world, "steps": self.steps, "delay": self.delay, "factor": self.factor,
                "model": self.shape.__name__, "device": self.device, "ranges": self.ranges, "batch": self.batch}

    def end(self):
        self.stop.set()
        if self.thread:
            self.thread.join()


def run(rank, world, folder, kind, seed):
    job = Job(rank, world, kind, seed)
    os.makedirs(folder, exist_ok=True)
    gc.collect()
    if job.cause != "automatic-collector":
        gc.disable()
    activities = [ProfilerActivity.CPU] + ([] if job.cpu else [ProfilerActivity.CUDA])
    with profile(activities=activities, schedule=schedule(wait=job.warm - 1, warmup=1, active=job.steps, repeat=1)) as p:
        for step in range(job.warm + job.steps):
            job.step(step)
            p.step()
    job.end()
    raw = f"{folder}/raw-{rank}.json"
    p.export_chrome_trace(raw)
    trim(raw, f"{folder}/rank{rank}.json")
    os.remove(raw)
    if rank == 0:
        with open(f"{folder}/truth.json", "w") as f:
            json.dump(job.truth(), f)
    gc.enable()


def worker(rank, world, out, plan, begin, seconds, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    start = time.time()
    torch.set_num_threads(2)
    # A job that hangs ends itself: the next one starts in new processes.
    dist.init_process_group("gloo", rank=rank, world_size=world, timeout=datetime.timedelta(seconds=30))
    for n in range(begin, len(plan)):
        if rank == 0:
            with open(f"{out}/at-{world}", "w") as f:
                f.write(str(n))
        go = torch.tensor([1.0 if time.time() - start < seconds else 0.0])
        dist.broadcast(go, 0)
        if go.item() == 0:
            break
        kind, seed = plan[n]
        run(rank, world, f"{out}/w{world}/{kind}-{seed}", kind, seed)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
        dist.barrier()
    dist.destroy_process_group()


def plan_of(world, seeds):
    """Causes and balanced jobs mixed, every seed of a kind together, so that a
    plan that is cut off has as much of each half."""
    r = random.Random(f"more-plan-{world}")
    causes, balanced = list(CAUSES), list(BALANCED)
    r.shuffle(causes)
    r.shuffle(balanced)
    kinds = []
    while causes or balanced:
        kinds += causes[:3] + balanced[:1]
        causes, balanced = causes[3:], balanced[1:]
    return [(k, s) for k in kinds for s in seeds]


def spawn(world, work, plan, until):
    """Runs the plan; a job that breaks is told and left out."""
    begin = 0
    for attempt in range(8):
        try:
            mp.spawn(worker, (world, work, plan, begin, until - time.time(), 29700 + 10 * world + attempt), nprocs=world)
            return
        except Exception as e:  # noqa: BLE001: whatever it was, the other jobs are worth having
            if os.path.exists(f"{work}/at-{world}"):
                with open(f"{work}/at-{world}") as f:
                    begin = int(f.read())
            kind, seed = plan[begin]
            print("broke:", world, "ranks,", kind, seed, str(e)[-600:], flush=True)
            shutil.rmtree(f"{work}/w{world}/{kind}-{seed}", ignore_errors=True)
            begin += 1
            if time.time() > until - 15:
                return


def pack(work, out, world, seed):
    """Starts packing: all archives are packed beside each other."""
    jobs = sorted(j for j in os.listdir(f"{work}/w{world}") if j.endswith(f"-{seed}"))
    halves = {"": jobs} if world < 8 else {"a": jobs[::2], "b": jobs[1::2]}
    return [subprocess.Popen(f"tar -C {work} -cf - {' '.join(f'w{world}/{n}' for n in names)} | xz -9 > {out}/w{world}-{seed}{half}.tar.xz",
                             shell=True) for half, names in halves.items() if names]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("out")
    a.add_argument("--ranks", default="8,4,2")
    a.add_argument("--seeds", default="8,9")
    a.add_argument("--seconds", type=float, default=440)
    a = a.parse_args()
    work, begin = tempfile.mkdtemp(), time.time()
    seeds = [int(s) for s in a.seeds.split(",")]
    worlds = [int(w) for w in a.ranks.split(",")]
    for i, world in enumerate(worlds):
        left = a.seconds - (time.time() - begin)
        share = left * (world + 4) / sum(w + 4 for w in worlds[i:])
        os.makedirs(f"{work}/w{world}")
        spawn(world, work, plan_of(world, seeds), time.time() + share - 12)
        print(world, "ranks:", len(os.listdir(f"{work}/w{world}")), "jobs,", round(time.time() - begin), "s", flush=True)
    for p in [p for world in worlds for seed in seeds for p in pack(work, a.out, world, seed)]:
        p.wait()
    subprocess.run(["ls", "-l", a.out], check=False)
    print(round(time.time() - begin), "s", flush=True)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
