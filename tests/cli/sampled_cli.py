# SPDX-License-Identifier: MIT
"""What samplers and tracers leave out or write otherwise: said, and not taken for calls or for other functions."""
import json
import marshal
import os
import unittest

from program import ShelfTest


def viztracer(line, sum_us, overflow=False):
    """A program whose functions begin `line` lines further down."""
    def event(name, start, duration):
        return {"pid": 1, "tid": 1, "ts": start, "dur": duration, "ph": "X", "cat": "fee", "name": name}

    return json.dumps({"traceEvents": [event(f"outer (/srv/app/tiny.py:{line + 5})", 0, sum_us + 30),
                                       event(f"work (/srv/app/tiny.py:{line + 1})", 10, sum_us + 10),
                                       event("builtins.sum", 15, sum_us)],
                       "viztracer_metadata": {"version": "1.1.1", "overflow": overflow}}).encode()


def golden(name):
    with open(os.path.join(os.path.dirname(__file__), "..", "golden", name), "rb") as file:
        return file.read()


class Sampled(ShelfTest):
    def add(self, name, content):
        return json.loads(self.ok("add", "--json", self.file(name, content)))["id"]

    def changes(self, base, new):
        rows = json.loads(self.ok("diff", base, new, "--json"))["rows"]
        return {row["name"]: row.get("change") for row in rows}

    def show(self, run):
        return self.ok("show", run)

    def test_samples_without_a_frame_are_part_of_the_total(self):
        run = self.add("py-spy.raw", b"<module> (app.py:10);wait (app.py:6) 67\n<module> (app.py:10) 3\n 75\n")
        text = self.show(run)
        self.assertRegex(text, r"headline +145 samples\n")
        self.assertIn("wait (app.py:6) takes 46.2 % of the samples itself.", text)
        self.assertNotIn("up to 75", text)
        self.assertIn("Too short to tell the cause: 145 samples. 51.7 % of the total is without a frame. wait (app.py:6) takes", text)
        self.assertIn("51.7 % of the total are samples without a frame", text)

    def test_samples_without_a_frame_name_their_base(self):
        text = self.show(self.add("threads.raw", b"thread (1): MainThread;<module> (app.py:10);work (app.py:6) 300\n"
                                                 b"thread (2): idle;run (threading.py:5);wait (threading.py:359) 500\n"
                                                 b"thread (3): other;spin (app.py:20) 250\nthread (3): other 50\n"))
        self.assertIn("8.3 % of the threads that worked are samples without a frame", text)  # 50 of 600; 4.5 % of 1100

    def test_imports_that_take_more_than_each_function(self):
        load = "<module> (app.py:1);_find_and_load (<frozen importlib._bootstrap>:1360);<module> (/usr/lib/python3/dist-packages/lib/__init__.py:3)"
        own = "".join(f"<module> (app.py:9);f{i} (part{i}.py:4) {weight}\n" for i, weight in enumerate([100] * 6))
        text = self.show(self.add("imports.raw", f"{load} 450\n{own}".encode()))
        self.assertIn("No single cause. Imports take 42.9 %. The largest other shares are 9.5 % in f0 (part0.py:4), ", text)
        text = self.show(self.add("few.raw", f"{load} 90\n{own}".encode()))
        self.assertNotIn("Imports take", text)
        self.assertIn("The largest shares are 14.5 % in f0 (part0.py:4), ", text)

    def test_few_samples_without_a_frame_are_no_note(self):
        text = self.show(self.add("few.raw", b"<module> (app.py:10);work (app.py:6) 9999\n 1\n"))
        self.assertNotIn("0.0 % of the total", text)
        self.assertIn("(no frame)", text)

    def test_late_samples_of_austin(self):
        text = self.show(self.add("late.austin", b"# austin: 4.0.0\n# mode: wall\nP1;T0:1;a.py:f:5 900000\n# saturation: 90/400\n# errors: 8/400\n"))
        self.assertIn("22.5 % of the samples are late. f (a.py:5) takes 100.0 % of the time itself.", text)
        self.assertIn("Warning: samples that austin took later than its interval: 90 of 400", text)
        self.assertIn("Warning: samples that austin could not read: 8 of 400", text)

    def test_threads_at_one_line(self):
        text = self.show(self.add("lock.raw", "".join(f"thread ({i});run (a.py:9);write (a.py:{line}) {count}\n"
                                                      for i in range(4) for line, count in ((5, 95), (6, 5))).encode()))
        self.assertIn("write (a.py:5) takes 100.0 % of the samples itself.", text)
        self.assertIn("4 threads are at a.py:5 most of their time: at a lock, or in Python code with the GIL, one of them gets on at a time.", text)
        self.assertNotIn("up to", text)

    def test_threads_and_processes_are_no_functions(self):
        run = self.add("threads.raw", b'process 1:"python a.py";process 2:"python -c a(); b()";thread (7): x; y;f (app.py:3) 5\n'
                                      b'process 1:"python a.py";thread (1);g (app.py:4) 3\nprocess 1:"python a.py";thread (1): Main;g (app.py:4) 2\n')
        self.assertEqual(self.rows(run, "SELECT DISTINCT name FROM slices ORDER BY name"), [{"name": "f (app.py:3)"}, {"name": "g (app.py:4)"}])
        self.assertEqual(self.rows(run, "SELECT name FROM track ORDER BY name"),
                         [{"name": "thread 1 (Main)"}, {"name": "thread 7 (x; y)"}])

    def test_a_function_at_two_lines_counts_once_in_a_stack(self):
        for form in ("{0}:{2}:{1}", "{0}:{1}:{2}", "{1} ({0}:{2})", "{1} [{0}:{2}]"):
            frames = [form.format("/srv/a.py", name, line) for name, line in (("<module>", 9), ("f", 5), ("f", 6), ("g", 3))]
            run = self.add("lines.folded", f"{';'.join(frames)} 50\n{';'.join(frames[:3])} 50\n".encode())
            text = self.show(run)
            self.assertRegex(text, r"\n *50 samples +50.0 % +100 samples +50 % +100 % +\S*f\b", form)
            self.assertNotRegex(text, r" (1\d\d[1-9]|1[1-9]\d|[2-9]\d\d)(\.\d+)? %", form)
            self.assertIn("f (a.py:6) takes 50.0 % of the samples itself.", text)

    def test_functions_of_one_name_count_once_in_a_stack(self):
        run = self.add("names.raw", b"<module> (a.py:1);run (a.py:4);run (a.py:20);work (a.py:30) 9\n<module> (b.py:1);run (a.py:4) 1\n")
        self.assertRegex(self.show(run), r"10 samples +0 % +100 % +run \(a.py\)|10 samples +10 % +100 % +run \(a.py\)")

    def test_a_rounded_picture_keeps_its_total(self):
        box = '<g><title>{} ({} samples, 1%)</title><rect x="{}" y="{}" width="{}" height="15"/></g>'
        boxes = [box.format("all", 30, 10, 200, 1180), box.format("f (a.py:1)", 27, 10, 184, 1073.8)]
        boxes += [box.format(f"{c} (a.py:2)", 1, 1083.8 + 23.6 * i, 184, 23.6) for i, c in enumerate("bcde")]
        run = self.add("factor.svg", f'<svg><g id="frames">{"".join(boxes)}</g></svg>'.encode())
        text = self.show(run)
        self.assertRegex(text, r"headline +30 samples\n")
        self.assertIn("f (a.py:1) takes 91.0 % of the samples itself", text)
        self.assertIn("computed from the widths of the boxes", text)

    def test_a_picture_names_its_unit(self):
        run = self.add("requests.svg", b'<svg><g id="frames"><g><title>all (300 requests, 100%)</title><rect x="0" y="20" width="9" height="9"/></g>'
                                       b'<g><title>f (a.py:1) (300 requests, 100%)</title><rect x="0" y="10" width="9" height="9"/></g></g></svg>')
        self.assertRegex(self.show(run), r"headline +300 requests\n")

    def test_samples_without_cpu_time_wait(self):
        text = self.show(self.add("samply.json", golden("gecko/ok_shared_tables.json")))
        self.assertIn("Next: nap (app.py:9) 50.0 %.", text)
        self.assertRegex(text, r"cpu_s +900.0 µs")
        self.assertRegex(text, r"2.500 ms +50.0 % +2.500 ms +50 % +50 % +nap \(/srv/app.py\)")

    def test_equal_addresses_of_two_libraries(self):
        text = self.show(self.add("libraries.json", golden("gecko/ok_libraries.json")))
        self.assertRegex(text, r"2 samples +28.6 %.*0x1000 \(libc.so.6\)")
        self.assertRegex(text, r"1 sample +14.3 %.*0x1000 \(libm.so.6\)")

    def test_a_recording_that_is_too_short(self):
        for count, part in (199, 199), (200, None):
            text = self.show(self.add("short.raw", f"<module> (a.py:9);f (a.py:5) {count}\n".encode()))
            self.assertIn(("Too short to tell the cause: 199 samples. " if part else "\n") + "f (a.py:5) takes 100.0 % of the samples itself.", text)
            self.assertNotIn("up to", text)
        text = self.show(self.add("short.austin", b"# austin: 3.4\n# mode: wall\nP1;T1;a.py:f:5 499000\n"))
        self.assertIn("Too short to tell the cause: 499.0 ms. f (a.py:5) takes 100.0 % of the time itself.", text)

    def test_the_function_that_holds_the_peak_of_mprof(self):
        curve = "".join(f"MEM {mib:.4f} {t / 10:.4f}\n" for t, mib in enumerate((10, 10, 60, 60, 20, 20), 1000))
        calls = ("FUNC app.main 10.0000 100.0000 20.0000 100.5000 0\nFUNC app.hold 10.0000 100.1000 10.5000 100.3500 1\n"
                 "FUNC app.late 20.0000 100.4000 29.0000 100.5000 1\n")
        text = self.show(self.add("hold.dat", f"CMDLINE python app.py\n{calls}{curve}".encode()))
        self.assertIn("app.hold holds 50.0 MiB of the peak, which it added in 1 call.", text)
        self.assertNotIn("app.late", text)

    def test_the_children_of_mprof(self):
        curve = "".join(f"MEM 20.0 {t / 10:.4f}\nCHLD 7 {mib} {t / 10:.4f}\n" for t, mib in enumerate((10, 30, 30), 1000))
        self.assertIn("The curve does not contain its 1 child process: with it, memory peaks at 50.0 MiB.",
                      self.show(self.add("a.dat", f"CMDLINE python a.py\n{curve}".encode())))
        self.assertIn("Its 1 child process peaks at 19.0 MiB; the file does not say whether the curve contains it",
                      self.show(self.add("b.dat", f"CMDLINE python b.py\n{curve}".replace(" 30 ", " 19 ").encode())))

    def test_the_clock_of_yappi(self):
        self.assertRegex(self.show(self.add("wall.prof", golden("pstats/ok_yappi_async.prof"))), r"headline +1.063 s tottime by wall clock\n")

    def test_functions_of_flameprof_have_the_line_of_their_def(self):
        run = self.add("flameprof.log", b"~:0:<built-in method builtins.exec>;/srv/a.py:1:<module>;/srv/a.py:5:A.f;/srv/a.py:9:A.f 1500\n")
        text = self.show(run)
        self.assertRegex(text, "tool +flameprof")
        self.assertIn("A.f (a.py:9) takes 100.0 % of the time itself.", text)

    def rows(self, run, statement):
        return json.loads(self.ok("sql", run, statement, "--json"))

    def test_lines_of_definitions_do_not_tell_functions_apart(self):
        base = self.add("before.raw", b"<module> (etl.py:1);main (etl.py:24);key (etl.py:9) 32\n<module> (<string>:1) 2\n")
        new = self.add("after.raw", b"<module> (etl.py:1);main (etl.py:25);key (etl.py:10) 155\n<module> (<string>:1) 2\n")
        self.assertEqual(set(self.changes(base, new).values()), {None})

    def test_functions_of_viztracer_match_without_their_line(self):
        base, new = self.add("before.json", viztracer(0, 100)), self.add("after.json", viztracer(1, 300))
        self.assertEqual(self.changes(base, new), dict.fromkeys(("outer (/srv/app/tiny.py)", "work (/srv/app/tiny.py)", "builtins.sum")))

    def test_a_full_buffer_of_viztracer(self):
        text = self.show(self.add("full.json", viztracer(0, 100, overflow=True)))
        self.assertIn("Calls were lost: the buffer of the profiler was full. What was kept shows no shares. The longest in it is "
                      "builtins.sum with 100.0 µs in 1 call, of which lost calls may have been a part.", text)
        self.assertNotIn("of the recorded work", text)
        self.assertNotIn("Calls are missing", self.show(self.add("whole.json", viztracer(0, 100))))

    def test_slices_of_py_spy_are_no_calls(self):
        events = [{"args": {"filename": "a.py", "line": 1}, "cat": "py-spy", "name": "tick", "ph": kind, "pid": 1, "tid": 1, "ts": at}
                  for at in (0, 20000) for kind, at in (("B", at), ("E", at + 10000))]
        run = self.add("chrome.json", json.dumps(events).encode())
        text = self.show(run)
        self.assertIn("2 slices", text)
        self.assertNotIn("2 calls", text)
        self.assertRegex(text, r"Host time +Slices +operator")
        self.assertNotIn("Calls", text)
        found = self.ok("explore", run, "tick")
        self.assertIn("slices: 2", found)
        self.assertNotIn("calls: 2", found)

    def test_counts_of_a_sampling_profiler_are_samples(self):
        """A dump of CPython's profiling.sampling."""
        functions = {("app.py", 3, "work"): (30, 30, 0.3, 0.3, {("app.py", 9, "main"): 30}), ("app.py", 9, "main"): (2, 32, 0.02, 0.32, {}),
                     ("__sampled__",): True}
        run = self.add("app.prof", marshal.dumps(functions))
        text = self.show(run)
        self.assertRegex(text, r"Total time +Samples +function")
        self.assertNotIn("Calls", text)
        found = self.ok("explore", run, "main")
        self.assertIn("samples: 32", found)
        self.assertIn("samples with it innermost: 2", found)
        self.assertNotIn("- calls", found)

    def test_rows_of_a_sampling_profiler_are_charged_to_own_code(self):
        """A generator expression is part of its function; a library function counts for its caller; -1 is no line."""
        app, walk, part = "/srv/app/cells.py", "fold", "fold.<locals>.<genexpr>"
        rows = {(app, 30, "main"): (10, 1000, 0.01, 1.0, {}), (app, -1, walk): (2, 2, 0.002, 0.002, {(app, 30, "main"): 2}),
                (app, 11, walk): (300, 700, 0.3, 0.7, {(app, 30, "main"): 700}), (app, 12, part): (90, 400, 0.09, 0.4, {(app, 11, walk): 400}),
                ("/usr/lib/python3.15/random.py", 352, "Random.choice"): (310, 310, 0.31, 0.31, {(app, 12, part): 310}),
                (app, 21, "draw"): (288, 288, 0.288, 0.288, {(app, 30, "main"): 288}), ("__sampled__",): True}
        text = self.show(self.add("cells.prof", marshal.dumps(rows)))
        self.assertIn("fold (cells.py:11) takes 70.2 % of the time", text)
        self.assertIn("main calls it.", text)
        self.assertNotIn("mostly at", text)
        self.assertNotIn("line_profiler", text)
        self.assertNotIn(":-1", text)
        self.assertIn("Waiting counts as work.", text)

    def test_a_function_at_one_line_may_wait(self):
        text = self.show(self.add("idle.raw", b"main (app.py:30);wait_for (app.py:17) 800\nmain (app.py:31);crunch (app.py:3) 300\n"
                                              b"main (app.py:31);crunch (app.py:4) 200\nmain (app.py:32);Thread.join (threading.py:9) 90\n"))
        self.assertIn("wait_for (app.py:17) works or waits 57.6 % of the samples, all of it at one line: the profile does not tell which.", text)
        self.assertRegex(text, r"wait_for: all at app.py:17")
        self.assertRegex(text, r"crunch: mostly at app.py:3")
        self.assertNotIn("up to", text)

    def test_cprofile_of_several_threads_in_one_stack(self):
        def mixed(thread_s):
            threading, app = "/usr/lib/python3.13/threading.py", "/srv/app/feeds.py"
            wait, main = ("~", 0, "<method 'acquire' of '_thread.lock' objects>"), (app, 3, "main")
            return marshal.dumps({main: (1, 1, 0.1, 9.0, {}), wait: (9, 9, 1.0, 1.0, {main: (9, 9, 1.0, 1.0)}),
                                  (threading, 998, "_bootstrap"): (1, 4, 0.1, thread_s, {wait: (0, 0, 0.0, 0.0)}),
                                  (app, 9, "parse"): (400, 400, 7.8, 7.8, {main: (400, 400, 7.8, 7.8)})})

        long = self.show(self.add("long.prof", mixed(6.0)))
        self.assertIn("The profile mixes the calls of several threads: its times and callers can be those of other functions. ", long)
        self.assertNotIn("could be saved", long)
        self.assertNotIn("up to", long)
        short = self.show(self.add("short.prof", mixed(0.2)))
        self.assertNotIn("mixes", short)
        self.assertIn("parse (feeds.py:9) takes", short)

    def test_what_blocks_the_event_loop(self):
        def waits_in(loop):
            events, run = "/usr/lib/python3.13/asyncio/events.py", ("~", 0, "<method 'run' of '_contextvars.Context' objects>")
            sleep, read, van = ("~", 0, "<built-in method time.sleep>"), ("/srv/app/fleet.py", 4, "read"), ("/srv/app/fleet.py", 8, "van")
            once, handle = ("/usr/lib/python3.13/asyncio/base_events.py", 1922, loop), (events, 78, "_run")
            return marshal.dumps({once: (90, 90, 0.1, 9.3, {}), handle: (90, 90, 0.1, 9.2, {once: (90, 90, 0.1, 9.2)}),
                                  run: (90, 90, 0.0, 9.1, {handle: (90, 90, 0.0, 9.1)}), van: (90, 90, 0.1, 9.1, {run: (90, 90, 0.1, 9.1)}),
                                  read: (90, 90, 0.0, 9.0, {van: (90, 90, 0.0, 9.0)}), sleep: (90, 90, 9.0, 9.0, {read: (90, 90, 9.0, 9.0)})})

        text = self.show(self.add("fleet.prof", waits_in("_run_once")))
        self.assertIn("read (fleet.py:4) sleeps 96.8 % of the time, in 90 calls of time.sleep. "
                      "van runs in the event loop, which waits meanwhile: asyncio.to_thread lets other tasks run.", text)
        self.assertNotIn("waits once", text)
        self.assertNotIn("event loop", self.show(self.add("none.prof", waits_in("other"))))


if __name__ == "__main__":
    unittest.main()
