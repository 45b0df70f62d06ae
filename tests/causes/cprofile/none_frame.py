import pandas as pd
def load(n): return pd.DataFrame({"k": [i % 100 for i in range(n)], "v": [i * 0.5 for i in range(n)]})
def mean(frame): return frame.groupby("k")["v"].mean()
def top(frame): return frame.sort_values("v").tail(10)
def main():
    frame = load(1500000); print(len(mean(frame)), len(top(frame)))
main()
