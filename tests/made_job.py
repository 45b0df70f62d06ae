#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the traces of a training job of which everything is known: clocks, who arrives last, how long the others wait.

usage: made_job.py FOLDER [--ranks N] [--steps N] [--hosts N] [--missing R,R] [--late R] [--late-from STEP] [--no-metadata] [--no-sequence] [--short R,R] [--spans] [--twice R,R]
                             [--drift-us N]

Each rank computes, then takes part in an all-reduce of all ranks (four buckets a step), and in an all-gather of its host. One rank
computes LATE_PCT longer from a step on. A collective begins on a rank when the rank has computed, and ends on all ranks together,
TRANSFER after the last has begun; ends differ by at most END_JITTER_US. Each rank's clock is off by up to 40 ms.

The traces are files as tensorboard_trace_handler writes them: HOST_PID.TIMESTAMP.pt.trace.json. The truth is in FOLDER.truth.json.
"""
import argparse
import json
import os
import random

LATE_PCT = 20
BUCKETS = 4
COMPUTE_US = 4000  # of a bucket
TRANSFER_US = {"allreduce": 300, "_allgather_base": 80}
NELEMS = {"allreduce": 6553600, "_allgather_base": 655360}  # of Float: 25 MiB, 2.5 MiB
END_JITTER_US = 10
BASE_NS = 1_700_000_000_000_000_000


def group_text(ranks):
    """As record_param_comms writes groups: cut after 30 ranks."""
    if len(ranks) > 30:
        return "[" + ", ".join(map(str, ranks[:29])) + f", ..., {ranks[-1]}]"
    return "[" + ", ".join(map(str, ranks)) + "]"


class Job:
    def __init__(self, args):
        self.args, self.random = args, random.Random(18)
        self.per_host = max(1, args.ranks // args.hosts)
        self.offset_us = [self.random.randint(-40000, 40000) for _ in range(args.ranks)]
        self.offset_us[0] = 0
        self.now = [0.0] * args.ranks
        self.sequence = {}
        self.events = [[] for _ in range(args.ranks)]
        self.split = [0] * args.ranks  # events before step 3
        self.last_count = [0] * args.ranks
        self.caused_us = [0.0] * args.ranks
        self.collectives = 0

    def host_of(self, rank):
        return min(rank // self.per_host, self.args.hosts - 1)

    def kernel(self, rank, name, start, duration, stream, args=None):
        self.events[rank].append({
            "ph": "X", "cat": "kernel", "name": name, "pid": rank % 8, "tid": stream, "ts": round(start + self.offset_us[rank], 3),
            "dur": round(duration, 3), "args": {"device": rank % 8, "stream": stream, "correlation": len(self.events[rank]) + 1, **(args or {})}})

    def collective(self, name, group, group_name, description):
        """All ranks of the group take part when they are ready."""
        arrivals = [self.now[rank] for rank in group]
        last = max(range(len(group)), key=lambda i: arrivals[i])
        end = arrivals[last] + TRANSFER_US[name]
        sequence = self.sequence[group_name] = self.sequence.get(group_name, 0) + 1
        for i, rank in enumerate(group):
            finish = end + self.random.uniform(0, END_JITTER_US)
            number = {} if self.args.no_sequence else {"Seq": sequence}
            metadata = {} if self.args.no_metadata else {
                "Collective name": name, "In msg nelems": NELEMS[name], "Out msg nelems": NELEMS[name] * (1 if name == "allreduce" else len(group)),
                "Group size": len(group), "dtype": "Float", "Process Group Name": group_name, "Process Group Description": description,
                "Process Group Ranks": group_text(group), **number}
            kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL" if name == "allreduce" else "ncclDevKernel_AllGather_RING_LL"
            self.kernel(rank, kernel, arrivals[i], finish - arrivals[i], 20 if name == "allreduce" else 24, metadata)
            self.now[rank] = finish
        self.collectives += 1
        self.last_count[group[last]] += 1
        if len(group) > 1:
            self.caused_us[group[last]] += sum(arrivals[last] - at for at in arrivals) / (self.args.ranks - 1)

    def step(self, number):
        args = self.args
        for rank in range(args.ranks):
            if number == 2 and rank in args.short:
                self.events[rank] = []
            if number == 3:
                self.split[rank] = len(self.events[rank])
        start = list(self.now)
        for rank in range(args.ranks):
            load = 500 + self.random.uniform(0, 50)
            self.now[rank] += load
        for bucket in range(BUCKETS):
            for rank in range(args.ranks):
                factor = 1 + LATE_PCT / 100 if rank == args.late and number >= args.late_from else 1
                compute = COMPUTE_US * factor + self.random.uniform(0, 200)
                self.kernel(rank, "ampere_sgemm_128x64_nn", self.now[rank], compute, 7)
                self.now[rank] += compute
            if bucket == 0 and args.hosts > 1:
                for host in range(args.hosts):
                    ranks = [rank for rank in range(args.ranks) if self.host_of(rank) == host]
                    self.collective("_allgather_base", ranks, str(host + 1), "mesh_tp")
            self.collective("allreduce", list(range(args.ranks)), "0", "default_pg")
        for rank in range(args.ranks):
            self.events[rank].append({
                "ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 1000 + rank, "tid": 1000 + rank,
                "ts": round(start[rank] + self.offset_us[rank], 3), "dur": round(self.now[rank] - start[rank], 3), "args": {}})
            self.events[rank].append({
                "ph": "X", "cat": "user_annotation", "name": "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                "pid": 1000 + rank, "tid": 1000 + rank, "ts": round(start[rank] + self.offset_us[rank], 3), "dur": 500, "args": {}})
            self.offset_us[rank] += self.random.uniform(-1, 1) * args.drift_us

    def write(self, folder):
        args = self.args
        for rank in range(args.ranks):
            if rank in args.missing:
                continue
            info = {"backend": "nccl", "rank": rank, "world_size": args.ranks}
            trace = {"schemaVersion": 1, "distributedInfo": info, "baseTimeNanoseconds": BASE_NS,
                     "deviceProperties": [{"id": rank % 8, "name": "NVIDIA H100"}], "traceEvents": self.events[rank]}
            host, at = f"node{self.host_of(rank) + 1}", self.split[rank]
            events = self.events[rank]
            parts = [events[:at], events[at:]] if args.spans else [events]
            for number, part in enumerate(parts):
                self.write_file(folder, f"{host}_{4000 + rank}.{1700000000000 + number}", {**trace, "traceEvents": part})
            if rank in args.twice:
                self.write_file(folder, f"{host}_{5000 + rank}.1700000000000", trace)

    def write_file(self, folder, name, trace):
        with open(os.path.join(folder, name + ".pt.trace.json"), "w", encoding="utf-8") as file:
            json.dump(trace, file)


def numbers(text):
    return {int(word) for word in text.split(",") if word}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--missing", type=numbers, default=set())
    parser.add_argument("--late", type=int, default=5, help="-1: no rank")
    parser.add_argument("--late-from", type=int, default=0)
    parser.add_argument("--no-metadata", action="store_true")
    parser.add_argument("--no-sequence", action="store_true", help="as torch before 2.6")
    parser.add_argument("--short", type=numbers, default=set(), help="ranks that record from step 2 on")
    parser.add_argument("--spans", action="store_true", help="two files of each rank: the steps before step 3, the others")
    parser.add_argument("--twice", type=numbers, default=set(), help="ranks with a second file of another process")
    parser.add_argument("--drift-us", type=float, default=0)
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    job = Job(args)
    offset_us = list(job.offset_us)
    for number in range(args.steps):
        job.step(number)
    job.write(args.folder)
    truth = {"offset_us": offset_us, "late": args.late, "last": job.last_count, "collectives": job.collectives,
             "caused_us_a_step": [us / args.steps for us in job.caused_us], "transfer_us": TRANSFER_US}
    with open(args.folder.rstrip("/") + ".truth.json", "w", encoding="utf-8") as file:
        json.dump(truth, file)


if __name__ == "__main__":
    main()
