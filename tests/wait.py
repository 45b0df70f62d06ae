# SPDX-License-Identifier: MIT
"""Waiting for what a test needs, instead of for a fixed time, which is too long on one machine and too short on another."""
import time

EVERY_S = 0.02


def wait_until(condition, seconds, what):
    """Asks `condition` until it answers something true, and returns that. AssertionError, with `what` it should have been, after so many seconds;
    `what` may be a function that tells how things stand then."""
    until = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > until:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(EVERY_S)
    return answer
