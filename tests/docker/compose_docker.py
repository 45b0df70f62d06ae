# SPDX-License-Identifier: MIT
"""docker/compose.yml and what of the Dockerfile it relies on."""
import os
import re
import unittest

import clean_root
import dockerfile
import yaml

DOCKER = os.path.join(clean_root.ROOT, "docker")
IMPORTS_AT_STOP_S = 8  # what a server that is told to stop gives imports


def service():
    with open(os.path.join(DOCKER, "compose.yml"), encoding="utf-8") as file:
        whole = yaml.safe_load(file)
    return whole, whole["services"]["perfshelf"]


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text)[1])


class Compose(unittest.TestCase):
    def setUp(self):
        self.whole, self.service = service()
        self.stage = dockerfile.stages(os.path.join(DOCKER, "Dockerfile"))[-1]

    def test_one_service_built_from_this_checkout(self):
        self.assertEqual(set(self.whole), {"services", "volumes"})
        self.assertEqual(list(self.whole["services"]), ["perfshelf"])
        context = os.path.normpath(os.path.join(DOCKER, self.service["build"]["context"]))
        self.assertEqual(context, clean_root.ROOT)
        self.assertTrue(os.path.isfile(os.path.join(context, self.service["build"]["dockerfile"])))
        self.assertNotIn("image", self.service)

    def test_ports(self):
        address, outside, inside = self.service["ports"][0].split(":")
        self.assertEqual((len(self.service["ports"]), address, outside), (1, "127.0.0.1", "7700"))
        self.assertEqual([int(inside)], self.stage.ports)
        self.assertEqual(self.stage.command[self.stage.command.index("--listen") + 1], f"0.0.0.0:{inside}")
        self.assertIn(f"http://127.0.0.1:{inside}/api/v1/health", self.stage.health.command)

    def test_volume(self):
        name, target = self.service["volumes"][0].split(":")
        self.assertEqual((len(self.service["volumes"]), list(self.whole["volumes"])), (1, [name]))
        self.assertEqual([target], self.stage.volumes)
        self.assertEqual(self.stage.command[self.stage.command.index("--data") + 1], target)

    def test_held_tight(self):
        self.assertTrue(self.service["read_only"])
        self.assertEqual(self.service["tmpfs"], ["/tmp"])
        self.assertEqual(self.service["cap_drop"], ["ALL"])
        self.assertEqual(self.service["security_opt"], ["no-new-privileges:true"])
        for word in ("privileged", "cap_add", "user", "network_mode", "pid", "entrypoint", "command"):
            self.assertNotIn(word, self.service)

    def test_health_and_end(self):
        self.assertNotIn("healthcheck", self.service, "the image's own holds")
        self.assertLess(seconds(self.stage.health.timeout), seconds(self.stage.health.interval))
        self.assertGreater(seconds(self.service["stop_grace_period"]), IMPORTS_AT_STOP_S)
        self.assertEqual(self.service["restart"], "unless-stopped")


if __name__ == "__main__":
    unittest.main()
