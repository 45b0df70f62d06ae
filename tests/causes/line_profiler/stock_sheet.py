"""Reserve stock on the planning sheet."""
import pandas as pd


def sheet(n):
    return pd.DataFrame({"stock": [i * 13 % 90 for i in range(n)], "wish": [i * 7 % 60 for i in range(n)], "reserved": 0})


@profile
def reserve(df):
    for i in range(len(df)):
        wish = min(int(df.at[i, "wish"]), int(df.at[i, "stock"]))
        df.loc[i, "reserved"] = wish
    return df


def main():
    print(reserve(sheet(7000))["reserved"].sum())


main()
