# SPDX-License-Identifier: MIT
"""Stacks deeper than the 10,000 frames that are kept."""
import json
import unittest

from program import ShelfTest

HEAD = """<?xml version="1.0" standalone="no"?>
<svg version="1.1" width="1200" height="120" xmlns:fg="http://github.com/jonhoo/inferno" xmlns="http://www.w3.org/2000/svg">
<text id="title" x="600" y="24">py-spy</text>
<g id="frames">
"""


def frame(name, level, x, width):
    return (f'<g><title>{name} ({width} samples, 1%)</title><rect x="0%" y="{52 + 16 * level}" width="1%" height="15" '
            f'fill="rgb(1,2,3)" fg:x="{x}" fg:w="{width}"/><text x="3" y="3">..</text></g>\n')


class DeepTest(ShelfTest):
    def test_a_flame_graph_keeps_the_path_of_what_follows(self):
        frames = [frame("all", 0, 0, 30), frame("top", 1, 0, 30), *(frame(f"f{level}", level, 0, 20) for level in range(2, 10020)),
                  frame("sibling", 2, 20, 10), frame("leaf", 3, 20, 10)]
        self.ok("add", self.file("deep.svg", (HEAD + "".join(frames) + "</g></svg>\n").encode()))
        shown = self.ok("show", "@1", "--rows", "4")
        self.assertRegex(shown, r"(?m)^ *20 samples +66\.7 % +20 samples .* f10000$")  # with the weight of the frames below it
        self.assertRegex(shown, r"(?m)^ *10 samples +33\.3 % +10 samples .* leaf$")
        self.assertRegex(shown, r"(?m)^ *0 samples +0\.0 % +30 samples .* top$")

    def test_events_close_the_frames_that_they_opened(self):
        depth, last = 10050, 2_000_000
        events = [{"type": "O", "frame": 0, "at": at} for at in range(depth)]
        events += [{"type": "C", "frame": 0, "at": 20_000 + at} for at in range(depth - 1)] + [{"type": "C", "frame": 0, "at": last}]
        profile = {"type": "evented", "name": "main", "unit": "microseconds", "startValue": 0, "endValue": last, "events": events}
        text = json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "again"}]},
                           "profiles": [profile]})
        added = self.json("add", self.file("deep.speedscope.json", text.encode()))
        self.assertEqual((added["repaired"], added["rejected"]), (depth - 10_000, 0))
        self.assertRegex(self.ok("show", "@1", "--rows", "2"), r"(?m)^ *2\.000 s +100\.0 % +2\.000 s .* again$")


if __name__ == "__main__":
    unittest.main()
