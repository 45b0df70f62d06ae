def read(n): return [(f"host{i}", f"team{i % 9}") for i in range(n)]
def owner_of(table, host):
    for name, team in table:
        if name == host: return team
    return None
def annotate(alerts, table): return [(alert, owner_of(table, alert)) for alert in alerts]
def count(pairs):
    found = {}
    for _, team in pairs: found[team] = found.get(team, 0) + 1
    return found
def main():
    table = read(3000); print(count(annotate([f"host{i * 7 % 3000}" for i in range(3000)], table)))
main()
