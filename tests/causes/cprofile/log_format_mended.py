# SPDX-License-Identifier: MIT
import logging,pprint
log=logging.getLogger("app")
def handle(m):
    if log.isEnabledFor(logging.DEBUG): log.debug("got %s"%pprint.pformat(m))
    return m["id"]
def process(ms): return sum(handle(m) for m in ms)
def main(): print(process([{"id":i,"body":{"a":list(range(20)),"b":"x"*20}} for i in range(2500)]))
main()
