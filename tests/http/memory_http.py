# SPDX-License-Identifier: MIT
"""Memory over time: times without samples are gaps, at any width and in any window."""
from server import RUNS, ServerTest

BEGIN = 1_700_000_000.0


def recording(times):
    samples = [f"MEM {10 + i:.6f} {BEGIN + t:.4f}" for i, t in enumerate(times)]
    return "\n".join(["CMDLINE python app.py", *samples, ""]).encode()


class Gaps(ServerTest):
    def gaps(self, times, query=""):
        run = self.server.request("POST", f"{RUNS}?wait=1", recording(times)).json["id"]
        answer = self.get_json(f"{RUNS}/{run}/memory{query}")
        return [(gap["process"], round(gap["from_s"], 3), round(gap["to_s"], 3)) for gap in answer["gaps"]]

    def test_a_regular_recording_has_none(self):
        self.assertEqual(self.gaps([i / 10 for i in range(100)]), [])
        self.assertEqual(self.gaps([0]), [])

    def test_a_pause_is_one(self):
        times = [i / 10 for i in range(50)] + [97 + i / 10 for i in range(50)]
        self.assertEqual(self.gaps(times), [(None, 4.9, 97)])
        self.assertEqual(self.gaps(times, "?from_s=3&to_s=10"), [(None, 4.9, 97)])
        self.assertEqual(self.gaps(times, "?from_s=98&to_s=99"), [])
        self.assertEqual(self.gaps([*times, *(t + 1000 for t in times)], "?px=16"), [(None, 4.9, 97), (None, 101.9, 1000), (None, 1004.9, 1097)])

    def test_what_is_narrower_than_a_pixel_is_left_out(self):
        times = [i / 10 for i in range(500)] + [52 + i / 10 for i in range(500)]
        self.assertEqual(self.gaps(times), [(None, 49.9, 52)])
        self.assertEqual(self.gaps(times, "?px=16"), [])
