import pandas as pd  # SPDX-License-Identifier: MIT


def crossings(n):
    routes = ["north", "south", "island", "bay"]
    return pd.DataFrame({
        "route": [routes[i % 4] for i in range(n)],
        "passengers": [1 + i % 5 for i in range(n)],
        "cars": [i % 3 for i in range(n)],
    })


def fare(row):
    base = 4.5 if row["route"] in ("north", "south") else 7.25
    return base * row["passengers"] + 11.0 * row["cars"]


def add_fares(table):
    table["fare"] = table.apply(fare, axis=1)
    return table


def per_route(table):
    return table.groupby("route")["fare"].sum()


def main():
    table = crossings(300000)
    add_fares(table)
    print(per_route(table))


main()
