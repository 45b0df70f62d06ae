# SPDX-License-Identifier: MIT
"""What `diff` says of two cProfile dumps in which one thing changed, or nothing. The dumps are written here, so that the
change is known: functions of a program, and library code below them."""
import json
import marshal
import os

from mcp_cli import Agent

FOLDER = "/home/me/shop/"
DUMPS, ENCODE = ("/usr/lib/python3.13/json/__init__.py", 180, "dumps"), ("/usr/lib/python3.13/json/encoder.py", 183, "encode")


def own(name, line, file="main.py"):
    return FOLDER + file, line, name


MAIN, LOAD, SCORE, EXPORT, REPORT = (own(name, 10 * i) for i, name in enumerate(("main", "load", "score", "export", "report"), 1))
CALLS = {(None, MAIN): (1, 0.01), (MAIN, LOAD): (400, 0.5), (MAIN, SCORE): (5000, 0.6), (MAIN, EXPORT): (3000, 0.02),
         (MAIN, REPORT): (100, 0.4), (EXPORT, DUMPS): (3000, 0.03), (DUMPS, ENCODE): (3000, 0.5)}


def dump(calls):
    """The bytes of a dump: calls and own time of each pair of caller and callee; times below are added up."""
    def total(callee, part=1.0):
        below = sum(total(to, 1) for (caller, to), _ in calls.items() if caller == callee)
        return part * (sum(time for (_, to), (_, time) in calls.items() if to == callee) + below)
    functions = {}
    for (caller, callee), (n, time) in calls.items():
        row = functions.setdefault(callee, [0, 0, 0.0, total(callee), {}])
        row[0] += n
        row[1] += n
        row[2] += time
        if caller:
            row[4][caller] = (n, n, time, total(callee))
    return marshal.dumps({key: tuple(row) for key, row in functions.items()})


def times(factor, *, calls=1, only=None):
    """CALLS with other times and numbers of calls, of all or of one pair."""
    return {pair: (n * calls, time * calls * factor) if pair == only or not only and pair[0] else (n, time)
            for pair, (n, time) in CALLS.items()}


class ChangedFunctions(Agent):
    def add(self, name, calls):
        path = os.path.join(self.folder, name + ".prof")
        with open(path, "wb") as file:
            file.write(dump(calls))
        return self.json("add", path)["id"]

    def sentence(self, now, base=None):
        base, now = self.add("base", base or CALLS), self.add("new", now)
        lines = self.ok("diff", base, now).splitlines()
        self.assertEqual(lines[2], "One run each: significance unknown. Record at least 5 of each, alternating, to tell a change from noise; `perfshelf record ab` does that.")
        return lines[3]

    def test_cost_of_library_code_is_that_of_its_caller(self):
        self.assertEqual(self.sentence(times(9, only=(DUMPS, ENCODE))),
                         "export (main.py:40) is called 3000 times as before, and a call takes 8.3 times as long: +4.000 s of +4.000 s.")

    def test_more_calls(self):
        self.assertEqual(self.sentence(times(1, calls=3, only=(MAIN, SCORE))),
                         "score (main.py:30) is called by main 15000 times instead of 5000, at about the same cost a call: +1.200 s of +1.200 s.")

    def test_fewer_calls_on_a_slower_machine(self):
        now = {pair: (n, 1.5 * time) for pair, (n, time) in times(1, calls=0.2, only=(MAIN, SCORE)).items()}
        now[MAIN, SCORE] = (1000, now[MAIN, SCORE][1])
        self.assertEqual(self.sentence(now),
                         "score (main.py:30) is called by main 1000 times instead of 5000, at about the same cost a call: -480.0 ms of -480.0 ms. "
                         "All functions take 1.5 times as long, as on a slower machine; the times above are without this.")

    def test_only_the_machine(self):
        self.assertEqual(self.sentence({pair: (n, 1.26 * time) for pair, (n, time) in CALLS.items()}),
                         "No function changed: calls are as before. "
                         "All functions take 1.3 times as long, as on a slower machine.")

    def test_a_whole_that_changed_is_not_called_unchanged(self):
        base = {(None, MAIN): (1, 0.5), (MAIN, SCORE): (5000, 0.5)}
        now = {(None, MAIN): (1, 0.52), (MAIN, SCORE): (5000, 0.8)}
        self.assertNotIn("No function changed", self.sentence(now, base))

    def test_a_slower_machine_that_does_not_slow_all_alike(self):
        """A machine under load slows each function by another factor: calls are as before, and nearly all take longer."""
        factors = {LOAD: 1.7, SCORE: 2.3, ENCODE: 3.1, REPORT: 4.2, DUMPS: 2.0, EXPORT: 2.6, MAIN: 1.0}
        self.assertEqual(self.sentence({pair: (n, factors[pair[1]] * time) for pair, (n, time) in CALLS.items()}),
                         "No function changed: calls are as before. "
                         "Nearly all functions take 2.3 times as long (median), as on a slower machine.")

    def test_what_the_other_functions_vary_by_is_not_named(self):
        """+320 ms of one function among others that nobody touched and that differ by as much."""
        factors = {LOAD: 1.5, SCORE: 0.8, ENCODE: 1.1, REPORT: 1.8}
        sentence = self.sentence({pair: (n, factors.get(pair[1], 1) * time) for pair, (n, time) in CALLS.items()})
        self.assertEqual(sentence, "No single function stands out: all together take 1.2 times as long, in as many calls.")

    def test_what_is_called_more_often_counts_with_what_it_calls(self):
        """`score` is called from 90 to 99,480 times by main; most of the time is in what it calls."""
        normal, split = own("normal", 60, "words.py"), own("split", 70, "words.py")
        base = {**CALLS, (MAIN, SCORE): (90, 0.0001), (SCORE, normal): (90, 0.0006), (normal, split): (180, 0.0005)}
        now = {**base, (MAIN, SCORE): (99480, 0.11), (SCORE, normal): (99480, 0.66), (normal, split): (198960, 0.55)}
        self.assertEqual(self.sentence(now, base),
                         "score (main.py:30) is called by main 99480 times instead of 90: +1.319 s of +1.319 s, with what it calls.")

    def test_a_new_function_counts_with_what_it_calls(self):
        audit = own("audit", 80)
        now = {**CALLS, (MAIN, audit): (50, 0.01), (audit, SCORE): (20000, 2.4)}
        self.assertEqual(self.sentence(now), "audit (main.py:80) is new, with 50 calls by main: +2.410 s of +2.410 s, with what it calls.")

    def test_a_new_function_that_is_called_once_has_a_caller(self):
        audit = own("audit", 80)
        now = {**CALLS, (MAIN, audit): (1, 0.01), (audit, SCORE): (20000, 2.4)}
        self.assertEqual(self.sentence(now), "audit (main.py:80) is new, with 1 call by main: +2.410 s of +2.410 s, with what it calls.")

    def test_more_to_do_in_one_function(self):
        """The program is one function; what it calls of libraries grew with the input."""
        def program(factor):
            split, strip = ("~", 0, "<method 'split' of 'str' objects>"), ("~", 0, "<method 'strip' of 'str' objects>")
            return {(None, MAIN): (1, 0.4 * factor), (MAIN, split): (20000 * factor, 0.2 * factor), (MAIN, strip): (60000 * factor, 0.3 * factor)}
        self.assertEqual(self.sentence(program(2), program(1)),
                         "All functions are called 2.0 times as often: there was more to do. No function changed.")

    def test_two_functions_that_explain_more_than_the_whole(self):
        """Few functions, so that noise is unknown; a third one takes less time."""
        samples = {"base": dict(load=20, score=30, export=300), "new": dict(load=420, score=330, export=250)}
        runs = [self.json("add", self.file(f"{name}.raw", "".join(f"main (shop.py:1);{f} (shop.py:9) {n}\n" for f, n in of.items()).encode()))["id"]
                for name, of in samples.items()]
        self.assertIn("load (shop.py) changes by +400 samples and score (shop.py) by +300 samples; all together change by +650 samples.", self.ok("diff", *runs))

    def test_few_sampled_functions_that_all_grew(self):
        """With no function that stayed the same, noise is unknown: the sentence states the change and names no cause."""
        runs = [self.json("add", self.file(f"{name}.raw", f"main (shop.py:1);score (shop.py:9) {score}\nmain (shop.py:1) {main}\n".encode()))["id"]
                for name, score, main in (("base", 60, 12), ("new", 500, 60))]
        self.assertIn("No single function stands out: all together take 7.8 times as long. score (shop.py) explains +440 samples of +488 samples.",
                      self.ok("diff", *runs))

    def test_a_function_that_samples_did_not_see(self):
        """Samples miss functions that ran, so that one without samples is not called new or gone."""
        same = "".join(f"main (shop.py:1);part{i} (shop.py:{10 * i}) {100 + i % 3}\n" for i in range(1, 9))
        base, now = (self.json("add", self.file(f"{name}.raw", (same + more).encode()))["id"]
                     for name, more in (("base", ""), ("new", "main (shop.py:1);score (shop.py:95) 600\n")))
        self.assertIn("score (shop.py) is only in the new profile: +600 samples of +600 samples.", self.ok("diff", base, now))
        self.assertIn("score (shop.py) is only in the base: -600 samples of -600 samples.", self.ok("diff", now, base))

    @staticmethod
    def report(own):
        """A report of pyinstrument, which leaves out calls with less than 1 % of the time. Here it left out 20 ms below main."""
        def frame(name, line, time, children=()):
            return {"function": name, "file_path_short": "shop.py", "file_path": "/home/me/shop/shop.py", "line_no": line, "time": time, "await_time": 0.0,
                    "is_application_code": True, "children": list(children)}

        total = sum(own.values()) + 0.02
        called = [frame(name, 10 * i, time) for i, (name, time) in enumerate(own.items(), 1)]
        return json.dumps({"start_time": 1795948740.3, "duration": total, "sample_count": int(1000 * total), "target_description": "Program: shop.py",
                           "cpu_time": total, "root_frame": frame("<module>", 1, total, [frame("main", 5, total, called)])}).encode()

    def test_a_function_that_a_report_leaves_out(self):
        """The other report may have left out up to 1 % of its time in the function: that part of the change is not certain."""
        same = {f"part{i}": 1 + i / 100 for i in range(1, 9)}
        base, now, small = (self.json("add", self.file(f"{name}.json", self.report(own)))["id"]
                            for name, own in (("base", same | {"score": 3.0}), ("new", same), ("small", same | {"score": 0.08})))
        self.assertIn("score (shop.py:90) is only in the base, and the new profile may leave out up to 83.80 ms: -2.916 s of -3.000 s.", self.ok("diff", base, now))
        self.assertIn("score (shop.py:90) is only in the new profile, and the base may leave out up to 83.80 ms: +2.916 s of +3.000 s.", self.ok("diff", now, base))
        self.assertNotIn("is only in", self.ok("diff", small, now))

    def test_sampled_functions_in_another_file(self):
        """A function that is in a file of another name, or in another folder, is the same one: what explains a difference is its change."""
        for number, (old, new, note) in enumerate((("shop_old.py", "shop.py", "The functions of shop_old.py are now in shop.py."),
                                                   ("/home/a/shop.py", "/home/b/shop.py", ""))):
            runs = [self.json("add", self.file(f"{number}{name}.raw", f"main ({file}:1);score ({file}:9) {score}\nmain ({file}:1) {main}\n".encode()))["id"]
                    for name, file, score, main in (("base", old, 60, 12), ("new", new, 500, 60))]
            said = self.ok("diff", *runs)
            self.assertIn("score (shop.py) explains +440 samples of +488 samples.", said)
            self.assertIn(note, said)

    def test_more_to_do(self):
        self.assertEqual(self.sentence(times(1, calls=2)),
                         "All functions are called 2.0 times as often: there was more to do. No function changed.")

    def test_renamed_and_moved(self):
        rename = {SCORE: own("rate", 35), LOAD: own("load", 3, "files.py")}
        self.assertEqual(self.sentence({(rename.get(caller, caller), rename.get(callee, callee)): cost for (caller, callee), cost in CALLS.items()}),
                         "No function changed: calls are as before, and costs of a call differ by no more than noise. "
                         "score (main.py:30) is now rate (main.py:35). load (main.py:20) is now load (files.py:3).")

    def test_a_renamed_function_has_its_new_name(self):
        """Times of all functions vary, and that of the renamed one most."""
        rename, base = {SCORE: own("rate", 30)}, {**CALLS, (MAIN, SCORE): (5000, 2.5), (MAIN, LOAD): (400, 1.5), (MAIN, REPORT): (100, 1.0)}
        factors = {LOAD: 0.6, SCORE: 0.35, ENCODE: 1.3, REPORT: 0.7}
        now = {(rename.get(caller, caller), rename.get(callee, callee)): (n, factors.get(callee, 1) * time) for (caller, callee), (n, time) in base.items()}
        self.assertEqual(self.sentence(now, base),
                         "No single function stands out: all together take 0.57 times as long, in as many calls. "
                         "rate (main.py:30) explains -1.625 s of -2.375 s. score (main.py:30) is now rate (main.py:30).")

    def test_new_and_gone(self):
        now = {pair: cost for pair, cost in CALLS.items() if pair[1] != REPORT}
        now[MAIN, own("chart", 90, "charts.py")] = (7, 1.0)
        self.assertEqual(self.sentence(now),
                         "chart (charts.py:90) is new, with 7 calls by main: +1.000 s, while all functions together take +600.0 ms. "
                         "Also: report (main.py:50) is gone, with 100 calls by main: -400.0 ms.")

    def test_agents_say_the_same(self):
        base, now = self.add("base", CALLS), self.add("new", times(9, only=(DUMPS, ENCODE)))
        answer = self.text("compare", base=base, new=now)
        self.assertIn("is called 3000 times as before, and a call takes 8.3 times as long: +4.000 s of +4.000 s.", answer)


if __name__ == "__main__":
    import unittest
    unittest.main()
