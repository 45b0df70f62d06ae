import pandas as pd
def add_reading(frame, sensor, value):
    return pd.concat([frame, pd.DataFrame({"sensor": [sensor], "value": [value]})], ignore_index=True)
def collect(n):
    frame = pd.DataFrame({"sensor": pd.Series(dtype=str), "value": pd.Series(dtype=float)})
    for i in range(n): frame = add_reading(frame, f"s{i % 7}", i / 3)
    return frame
def summary(frame): return frame.groupby("sensor")["value"].mean()
def main(): print(len(summary(collect(900))))
main()
