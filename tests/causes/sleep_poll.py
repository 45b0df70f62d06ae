# SPDX-License-Identifier: MIT
# names: wait_ready
# saves: 50 to 100
import time
def wait_ready(job):
    while time.monotonic()<job: time.sleep(0.05)
def work(n): return sum(i*i for i in range(n))
def main():
    wait_ready(time.monotonic()+0.6); work(30000)
main()
