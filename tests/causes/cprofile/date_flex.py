from dateutil import parser
def when(event): return parser.parse(event["at"])
def timeline(events): return sorted(events, key=when)
def spread(events): return (when(events[-1]) - when(events[0])).total_seconds()
def main():
    events = [{"at": f"2025-{1 + i % 12:02}-{1 + i % 28:02}T{i % 24:02}:10:00"} for i in range(6000)]
    print(spread(timeline(events)))
main()
