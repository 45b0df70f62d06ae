import datetime  # SPDX-License-Identifier: MIT
def bookings(n):
    return [(f"2026-{1 + i % 12:02}-{1 + i % 28:02} {i % 24:02}:{i % 60:02}", i % 9) for i in range(n)]
def start_of(text):
    return datetime.datetime.strptime(text, "%Y-%m-%d %H:%M")
def room_plan(rows):
    plan = {}
    for text, room in rows:
        begin = start_of(text)
        plan.setdefault((room, begin.date()), []).append(begin.time())
    return plan
def utilisation(plan):
    return {key: len(set(times)) / 24 for key, times in plan.items()}
def main():
    rows = bookings(40000)
    for _ in range(6):
        utilisation(room_plan(rows))
main()
