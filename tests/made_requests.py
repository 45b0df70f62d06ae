# SPDX-License-Identifier: MIT
"""Event logs of a made engine, whose scheduler runs in virtual time: JSON lines of arrivals, steps and ends, as importers/serving/engine_events.c reads them.

The engine serves at most `slots` requests at the same time and `budget` tokens in a step. Without `chunk` a prompt is one piece; with it a step takes
at most so many tokens of a prompt. A step takes `STEP_NS`, and `TOKEN_NS` for each of its tokens, more where much is computed before. Requests wait in the
order of their arrival.
"""
import json
import random

STEP_NS, TOKEN_NS, START = 2_000_000, 150_000, 1_795_953_929_000_000_000


def workload(n, seed, interval_ms, prompts=(20, 60), outputs=(5, 20), special=()):
    """Requests as (arrival in ns, tokens of the prompt, tokens of the output). `special`: {index: (tokens of the prompt, of the output)}."""
    random_of, at, found = random.Random(seed), 0, []
    for i in range(n):
        at += round(random_of.expovariate(1) * interval_ms * 1e6)
        found.append((at, *dict(special).get(i, (random_of.randint(*prompts), random_of.randint(*outputs)))))
    return found


class Engine:
    def __init__(self, requests, slots=8, budget=8192, chunk=0):
        self.slots, self.budget, self.chunk = slots, budget, chunk
        self.arriving = [{"id": f"cmpl-{i}-0", "at": at, "prompt": prompt, "left": output, "done": 0, "out": 0} for i, (at, prompt, output) in enumerate(requests)]
        self.waiting, self.running, self.events, self.now, self.n = [], [], [], 0, 0

    def run(self):
        while self.arriving or self.waiting or self.running:
            self.arrive()
            if not self.waiting and not self.running:
                self.now = self.arriving[0]["at"]
                continue
            self.step()
        return self.events

    def add(self, event, ns, **more):
        self.events.append((ns, {"event": event, **more}))

    def arrive(self):
        while self.arriving and self.arriving[0]["at"] <= self.now:
            request = self.arriving.pop(0)
            self.add("arrival", request["at"], id=request["id"], unix_ns=START + request["at"], prompt_tokens=request["prompt"], max_tokens=request["left"])
            self.waiting.append(request)

    def step(self):
        context, generation, left = [], [], self.budget
        for request in self.running:
            if request["done"] == request["prompt"]:
                generation.append(request)
                left -= 1
        while self.waiting and len(self.running) < self.slots and self.takes(self.waiting[0], left):
            self.running.append(self.waiting.pop(0))
            left -= self.takes(self.running[-1], left)
        left = self.budget - len(generation)
        for request in self.running:
            tokens = self.takes(request, left) if request["done"] < request["prompt"] else 0
            if tokens:
                context.append((request, tokens))
                left -= tokens
        start = self.now + 100_000
        tokens = sum(tokens for _, tokens in context)
        self.now = start + STEP_NS + TOKEN_NS * (tokens + len(generation))
        running, waiting = len(self.running), [request["id"] for request in self.waiting]
        served = [{"id": request["id"], "tokens": tokens, "computed": request["done"], "prompt": request["prompt"]} for request, tokens in context]
        decoded = [{"id": request["id"], "tokens": 1, "output": request["out"]} for request in generation]
        emitted, finished = self.advance(context, generation)
        self.add("iteration", start, iteration=self.n, name=f"execute_context_{len(context)}({tokens})_generation_{len(generation)}({len(generation)})", context=served,
                 generation=decoded, running=running, waiting=waiting, start_unix_ns=START + start, end_unix_ns=START + self.now, emitted=emitted, finished=finished)
        self.n += 1

    def takes(self, request, left):
        """Tokens of the prompt that a step with so many tokens left takes; 0: it has to wait."""
        tokens = request["prompt"] - request["done"]
        if self.chunk:
            return max(min(tokens, self.chunk, left), 0)
        return tokens if tokens <= left or left == self.budget else 0

    def advance(self, context, generation):
        emitted, finished = [], []
        for request, tokens in context:
            request["done"] += tokens
        for request in [*(request for request, _ in context if request["done"] == request["prompt"]), *generation]:
            request["out"] += 1
            request["left"] -= 1
            emitted.append(request["id"])
            if request["left"] <= 0:
                finished.append(request["id"])
                self.running.remove(request)
                self.add("response_end", self.now + 50_000, id=request["id"], unix_ns=START + self.now + 50_000)
        return emitted, finished


def log(requests, **engine):
    """The log as bytes."""
    events = sorted(Engine(requests, **engine).run(), key=lambda event: event[0])
    return "".join(json.dumps(event) + "\n" for _, event in events).encode()


def first_tokens(text):
    """The times to the first token in ns, in the order of arrival."""
    arrivals, found = {}, {}
    for event in map(json.loads, text.splitlines()):
        if event["event"] == "arrival":
            arrivals[event["id"]] = event["unix_ns"]
        for name in event.get("emitted", ()):
            found.setdefault(name, event["end_unix_ns"] - arrivals[name])
    return [found[name] for name in arrivals]
