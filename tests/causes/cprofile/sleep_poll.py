# SPDX-License-Identifier: MIT
import time
def wait_ready(job):
    while time.monotonic()<job: time.sleep(0.05)
def work(n): return sum(i*i for i in range(n))
def main():
    wait_ready(time.monotonic()+0.6); work(30000)
main()
