import pandas as pd


def to_csv(orders, target):
    pd.DataFrame(orders, columns=["number", "due", "amount"]).to_csv(target, index=False)
