import argparse  # SPDX-License-Identifier: MIT
import json
import textwrap

import yaml

print(textwrap.fill(yaml.safe_dump({"to": argparse.Namespace(name="x").name}), 40))
