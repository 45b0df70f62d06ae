# SPDX-License-Identifier: MIT
# file: conf/__init__.py
# file: conf/schema.py
from pydantic import BaseModel
class Server(BaseModel):
    host: str
    port: int
# file: conf/defaults.py
DEFAULTS = {"host": "localhost", "port": 80}
# file: main.py
import sys
from conf.defaults import DEFAULTS
if "--check" in sys.argv:
    from conf.schema import Server
    print(Server(**DEFAULTS))
else:
    print(DEFAULTS["port"])
