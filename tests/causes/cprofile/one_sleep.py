# SPDX-License-Identifier: MIT
import time
def pause(): time.sleep(0.4)
def work(n): return sum(i*i for i in range(n))
def main(): pause(); work(20000)
main()
