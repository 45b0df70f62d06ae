"""Commission per seller and month."""
import numpy as np
import pandas as pd


def load(n):
    rng = np.random.default_rng(5)
    return pd.DataFrame({"seller": rng.integers(0, 40, n), "month": rng.integers(1, 13, n),
                         "net": rng.uniform(5, 900, n).round(2), "share": rng.uniform(0.01, 0.07, n)})


def add_commission(sales):
    bonus = np.where(sales["net"] > 500, 1.2, 1.0)
    sales["commission"] = sales["net"] * sales["share"] * bonus
    return sales


def summary(sales):
    return sales.groupby(["seller", "month"])["commission"].sum().unstack()


def main():
    print(summary(add_commission(load(60_000))).round(1).iloc[:3, :4])


if __name__ == "__main__":
    main()
