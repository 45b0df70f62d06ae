import argparse  # SPDX-License-Identifier: MIT
import json
import textwrap

print(textwrap.fill(json.dumps({"to": argparse.Namespace(name="x").name}), 40))
