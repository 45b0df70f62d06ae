# SPDX-License-Identifier: MIT
# file: mill/__init__.py
# file: mill/grain.py

def weigh(n):
    return n * 3
def table(rows):
    import pandas
    return pandas.DataFrame(rows)
# file: main.py
import concurrent.futures
import multiprocessing
from mill import grain
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        print(sum(pool.map(grain.weigh, range(4))))
