"""Sessions of visitors out of their clicks: the lines that line_profiler and memory_profiler measured for the demo."""
import random
import statistics

try:
    profile  # kernprof and `python -m memory_profiler` put it there
except NameError:
    def profile(function):
        return function


@profile
def load_events(visitors, clicks, seed=7):
    dice = random.Random(seed)
    events = []
    for _ in range(clicks):
        visitor = dice.randrange(visitors)
        events.append((dice.random() * 86_400, visitor, dice.choice(("view", "cart", "buy"))))
    events.sort()
    return events


@profile
def sessions_of(events, gap=1800):
    last_seen = {}
    open_sessions = {}
    closed = []
    for time, visitor, kind in events:
        previous = last_seen.get(visitor)
        if previous is None or time - previous > gap:
            if visitor in open_sessions:
                closed.append(open_sessions.pop(visitor))
            open_sessions[visitor] = []
        last_seen[visitor] = time
        open_sessions[visitor].append((time, kind))
    closed.extend(open_sessions.values())
    return closed


@profile
def summary(sessions):
    lengths = [session[-1][0] - session[0][0] for session in sessions]
    buyers = [session for session in sessions if any(kind == "buy" for _, kind in session)]
    gaps = []
    for session in sessions:
        times = [time for time, _ in session]
        gaps.extend(b - a for a, b in zip(times, times[1:]))
    return {
        "sessions": len(sessions),
        "buyers": len(buyers),
        "median length": statistics.median(lengths),
        "mean gap": statistics.fmean(gaps),
    }


@profile
def refund(session):
    return [kind for _, kind in session if kind == "refund"]


def main():
    events = load_events(visitors=4_000, clicks=60_000)
    print(summary(sessions_of(events)))


if __name__ == "__main__":
    main()
