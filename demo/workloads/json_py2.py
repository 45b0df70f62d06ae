# SPDX-License-Identifier: MIT
"""JSON there and back, for Python 2 as well."""
import json

for _ in range(200):
    json.loads(json.dumps({"a": list(range(50)), "b": u"x" * 99, "c": {"d": None}}, indent=1))
