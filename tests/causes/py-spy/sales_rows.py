"""Commission per seller and month."""
import numpy as np
import pandas as pd


def load(n):
    rng = np.random.default_rng(5)
    return pd.DataFrame({"seller": rng.integers(0, 40, n), "month": rng.integers(1, 13, n),
                         "net": rng.uniform(5, 900, n).round(2), "share": rng.uniform(0.01, 0.07, n)})


def add_commission(sales):
    result = []
    for _, sale in sales.iterrows():
        bonus = 1.2 if sale["net"] > 500 else 1.0
        result.append(sale["net"] * sale["share"] * bonus)
    sales["commission"] = result
    return sales


def summary(sales):
    return sales.groupby(["seller", "month"])["commission"].sum().unstack()


def main():
    print(summary(add_commission(load(60_000))).round(1).iloc[:3, :4])


if __name__ == "__main__":
    main()
