import pandas as pd  # SPDX-License-Identifier: MIT


def crossings(n):
    routes = ["north", "south", "island", "bay"]
    return pd.DataFrame({
        "route": [routes[i % 4] for i in range(n)],
        "passengers": [1 + i % 5 for i in range(n)],
        "cars": [i % 3 for i in range(n)],
    })


def add_fares(table):
    near = table["route"].isin(["north", "south"])
    base = near.map({True: 4.5, False: 7.25})
    table["fare"] = base * table["passengers"] + 11.0 * table["cars"]
    return table


def per_route(table):
    return table.groupby("route")["fare"].sum()


def main():
    table = crossings(300000)
    add_fares(table)
    print(per_route(table))


main()
