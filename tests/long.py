# SPDX-License-Identifier: MIT
"""Tests that are long by nature, which `./dev test` leaves to `./dev test --all`. A suite that is run by itself runs them too."""
import os
import unittest

SHORT = bool(os.environ.get("PERFSHELF_SHORT"))
long_test = unittest.skipIf(SHORT, "long: ./dev test --all runs it")
