"""Warn when a disk gets full."""
import shutil
import sys

import notify

usage = shutil.disk_usage("/")
share = usage.used / usage.total
if share > 0.995:
    notify.send("disk", f"{share:.0%} used")
    sys.exit(1)
