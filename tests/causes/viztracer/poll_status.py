# SPDX-License-Identifier: MIT
"""Waits for a device that answers after a while."""
import time


class Device:
    def __init__(self):
        self.polls = 0

    def is_ready(self):
        self.polls += 1
        return self.polls > 5


def wait_until_ready(device):
    while not device.is_ready():
        time.sleep(0.2)


def main():
    for _ in range(2):
        wait_until_ready(Device())


if __name__ == "__main__":
    main()
