"""Sorts tickets by the order of their teams, then by age."""  # SPDX-License-Identifier: MIT
import random
from dataclasses import dataclass


@dataclass
class Ticket:
    number: int
    team: str
    opened: int

    @property
    def age(self):
        return 100_000 - self.opened


def make_tickets(count, teams):
    random.seed(9)
    return [Ticket(n, random.choice(teams), random.randrange(100_000)) for n in range(count)]


def in_order(tickets, teams):
    return sorted(tickets, key=lambda ticket: (teams.index(ticket.team), -ticket.age))


def summary(tickets):
    ages = {}
    for ticket in tickets:
        ages.setdefault(ticket.team, []).append(ticket.age)
    return {team: max(values) for team, values in ages.items()}


def main():
    teams = [f"team-{n:04d}" for n in range(1500)]
    tickets = make_tickets(60_000, teams)
    ordered = in_order(tickets, teams)
    print(ordered[0], len(summary(ordered)))


main()
