# SPDX-License-Identifier: MIT
# file: clock/__init__.py
# file: clock/zones.py
import datetime
import zoneinfo
UTC = datetime.timezone.utc
# file: clock/show.py
import locale
import textwrap
from clock.zones import UTC
def show(hour):
    return textwrap.indent(f"{hour:02d}:00 {UTC}", "  ")
# file: main.py
import json, string, shutil, random
from clock.show import show
print(json.dumps(show(7)), string.digits, shutil.get_terminal_size().columns, random.Random(1).random())
