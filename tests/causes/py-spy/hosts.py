# SPDX-License-Identifier: MIT
"""Makes the options of a connection for each host."""
import ssl


def options_of(host):
    context = ssl.create_default_context()
    context.check_hostname = not host.startswith("test")
    return {"host": host, "tls": context, "port": 443}


def plan(hosts):
    return [options_of(host)["port"] for host in hosts]


if __name__ == "__main__":
    print(sum(plan([f"node{i}.example" for i in range(60)])))
