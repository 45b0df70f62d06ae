import pandas as pd
def collect(n):
    rows = [(f"s{i % 7}", i / 3) for i in range(n)]
    return pd.DataFrame(rows, columns=["sensor", "value"])
def summary(frame): return frame.groupby("sensor")["value"].mean()
def main(): print(len(summary(collect(900))))
main()
