"""Reads the deployments of a cluster."""  # SPDX-License-Identifier: MIT
import yaml


def make_files(count):
    return ["\n".join(f"- name: app{n}-{k}\n  image: registry/app{k}:1.{n}\n  ports: [80, 443]\n  env:\n"
                      f"    LEVEL: info\n    PLACE: zone{k}" for k in range(12)) for n in range(count)]


def read_deployment(text):
    return yaml.load(text, Loader=yaml.CSafeLoader)


def check(deployment):
    return [app["name"] for app in deployment if 443 not in app["ports"] or "LEVEL" not in app["env"]]


def check_all(texts):
    bad = []
    for text in texts:
        bad += check(read_deployment(text))
    return bad


if __name__ == "__main__":
    print(len(check_all(make_files(90))))
