# SPDX-License-Identifier: MIT
"""Descriptions of answers: schema/answers.py refuses those that cannot be read, with their line, and schema/answer_keys.py those that
differ from the code. tests/http/answers_http.py compares answers with them."""
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "schema"))
import answer_keys  # noqa: E402
import answers  # noqa: E402

TREE = """# Trees
GET runs/{run}/tree: Tree
written by server/query/tree.c

Tree: A tree.
  n count, self_us [us]: number of nodes,
      and their times
  note? text?: the note
  peak {t_s s, kind "a" | "b" | 3}: the peak
  place (text, line): where it is
  * [number?]: an array for each column
"""
CODE = {
    "server/query/reads.h": 'READ("runs/{run}/{view*}", view, 0)\n',
    "server/query/views.c": 'static const struct ps_view views[] = {\n    {0, "tree", ps_view_tree, NULL, NULL},\n    {0, "notes",\n     ps_view_table, "notes", NULL},\n};\n',
    "server/api/routes.c": '    {"GET", API "health", ps_get_health, 0},\n    {"GET", "/mcp", ps_refuse_mcp, 0},\n',
    "importers/kinds.c": '    {.name = "pstats"},\n',
    "server/query/tree.c": """
static void write_times(struct ps_json *json, const char *key)
{
    ps_json_key(json, key);
}

void ps_view_tree(struct ps_json *json)
{
    ps_json_key_int(json, "n", 1); /* "comment" */
    write_times(json, "self_us");
    ps_json_key_str(json, n ? "note" : "peak", "");
    ps_buf_text(out, "{\\"t_s\\":1,\\"kind\\":\\"a\\"}");
    ps_fail(err, PS_BAD_REQUEST, "%s must be {\\"run\\":1}", word(id));
    write_array(json, names, "place");
}
""",
}
ALL = TREE + "GET runs/{run}/notes: table notes\nGET health: nothing\nGET /mcp: refused\nsummary pstats: Tree\n"


class DescriptionsCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def read(self, text):
        with open(os.path.join(self.folder.name, "trees.answers"), "w", encoding="utf-8") as file:
            file.write(text)
        return answers.Answers(self.folder.name)


class DescriptionsTest(DescriptionsCase):
    def refused(self, text, expected):
        with self.assertRaises(answers.Wrong) as caught:
            self.read(text)
        self.assertEqual(str(caught.exception), f"{self.folder.name}/trees.answers:{expected}")

    def test_wrong_descriptions_are_refused_with_their_line(self):
        for old, new, expected in (
                ("n count", "n cuont", "6: cuont is not a word of WORDS in answers.py"),
                ("n count", "n", "6: expected a type, found ','"),
                ("self_us [us]", "self_ns [us]", "6: self_ns ends with the unit ns, but is us"),
                ("note? text?: the note", "note? text?", "8: note has no description"),
                ("note? text?: the note", "note? text?:", "8: note has no description"),
                ("note? text", "note? [text", "8: expected ] at ': the note'"),
                ("note? text", "n text", "8: Tree.n is described twice"),
                ("note? text", "note? Note", "5: the type Note is not described"),
                ("  note?", "   note?", "8: is indented by 3; keys are by 2, lines that go on by 4 or more"),
                ("Tree: A tree.\n", "tree: A tree.\n", "5: cannot read 'tree: A tree.'"),
                ("Tree: A tree.\n", "", "5: a key outside of a type"),
                ("GET runs/{run}/tree: Tree", "GET runs/{run}/tree: Leaf", "2: the type Leaf is not described"),
                ("GET runs/{run}/tree: Tree", "GET runs/{run}/tree: table leaves", "2: schema/queries/leaves.sql answers no rows"),
                ("GET runs/{run}/tree: Tree", "GET runs/{run}/tree: nothing", "5: no answer has a Tree"),
                ("written by", "GET runs/{run}/tree: Tree\nwritten by", "3: GET runs/{run}/tree is described twice"),
                ("Tree: A tree.", "Tree & Tree2: A tree.", "5: the type Tree2 is not described")):
            with self.subTest(new):
                self.assertIn(old, TREE)
                self.refused(TREE.replace(old, new, 1), expected)
        self.refused(TREE.replace("A tree.", "A tree.\n  base Base: it").replace("Tree: A", "Tree & Base: A") + "Base: A base.\n  n count: of all\n",
                     "5: Tree.n is described in Tree and in a type behind &")

    def test_values_are_compared_with_their_types(self):
        described = self.read(TREE)
        right = {"n": 2, "self_us": [1, 2.5], "note": None, "peak": {"t_s": 1.5, "kind": 3}, "place": ["a.py", 3], "cpu": [1, None]}
        tree = answers.Type("name", "Tree")
        self.assertEqual(described.errors(tree, right, "Tree"), [])
        for change, expected in (({"n": 2.5}, ("Tree.n", "is 2.5, described as count")),
                                 ({"n": True}, ("Tree.n", "is True, described as count")),
                                 ({"n": None}, ("Tree.n", "is null, described as count")),
                                 ({"self_us": [None]}, ("Tree.self_us[]", "is null, described as us")),
                                 ({"note": 1}, ("Tree.note", "is 1, described as text or null")),
                                 ({"peak": {"kind": "a"}}, ("Tree.peak.t_s", "is missing")),
                                 ({"peak": {"t_s": 1, "kind": "c"}}, ("Tree.peak.kind", "is 'c', described as `a`, `b` or 3")),
                                 ({"peak": {"t_s": 1, "kind": "a", "x": 1}}, ("Tree.peak.x", "is not described; it is 1")),
                                 ({"place": ["a.py"]}, ("Tree.place", "is an array, described as (text, line)")),
                                 ({"gpu": 1}, ("Tree.gpu", "is 1, described as [number or null]"))):
            with self.subTest(change):
                self.assertEqual(described.errors(tree, right | change, "Tree"), [expected])
        self.assertEqual(described.errors(tree, {name: value for name, value in right.items() if name != "note"}, "Tree"), [])
        self.assertIn(("Tree.n", "is missing"), described.errors(tree, {}, "Tree"))

    def test_answers_are_compared_by_endpoint(self):
        described = self.read(TREE + """GET trees: page TreePage of Tree | Leaf
GET events: events Leaf
TreePage: A page.
  columns [text], rows [[any]]: names, and arrays of values
Leaf: A leaf.
  size count: how large it is
""")
        page = {"columns": ["size"], "rows": [[1], [2]]}
        self.assertEqual(described.answer_errors(("GET", "trees"), page), [])
        self.assertEqual(described.answer_errors(("GET", "trees"), page | {"n": 1}), [("TreePage.n", "is not described; it is 1")])
        self.assertEqual(described.answer_errors(("GET", "trees"), page | {"rows": [[1], [0.5]]}),
                         [("Tree | Leaf.size", "is 0.5, described as count")])
        self.assertEqual(described.answer_errors(("GET", "runs/{run}/tree"), {})[0], ("answer.n", "is missing"))

    def test_types_and_tables_follow(self):
        described = self.read(TREE)
        self.assertEqual("\n".join(described.interface(described.types["Tree"])), """/** A tree. */
export interface Tree {
    /** number of nodes, and their times */
    n: number;
    /** number of nodes, and their times */
    self_us: number[];
    /** the note */
    note?: string | null;
    /** the peak */
    peak: { t_s: number; kind: 'a' | 'b' | 3 };
    /** where it is */
    place: [string, number];
}
""")
        self.assertEqual(described.table("Tree"), """| key | type | meaning |
|---|---|---|
| n, self_us | count, [us] | number of nodes, and their times |
| note? | text or null | the note |
| peak | {t_s, kind} | the peak |
| place | (text, line) | where it is |
| *? | [number or null] | an array for each column |
""")
        forest = self.read(TREE + """GET runs/{run}/forest: Forest
Forest & Place: A forest.
  trees [Leaf]: its trees
  nearest Place?: the next one
  origin Origin: its origin
Leaf: A leaf.
  size number, colour text: what it looks like
  place Place: where it is
Place: A place.
  t_s s, x number: of the place
Origin = "a" | "b" | "c" | "d" | "e": Where it comes from.
""")
        self.assertEqual(forest.table("Forest"), """| key | type | meaning |
|---|---|---|
| t_s, x | s, number | of the place |
| trees | [{…}] | its trees |
| trees.size, .colour | number, text | what it looks like |
| trees.place | {t_s, x} | where it is |
| nearest | {t_s, x} or null | the next one |
| origin | Origin | its origin |
""")
        self.assertEqual(forest.table("Forest", {"Place", "Leaf"}), """| key | type | meaning |
|---|---|---|
| trees | [Leaf] | its trees |
| nearest | Place or null | the next one |
| origin | Origin | its origin |
""")
        self.assertIn("| Origin | `a`, `b`, `c`, `d` or `e`: Where it comes from. |\n", forest.table("WORDS"))


class CodeTest(DescriptionsCase):
    """The same descriptions beside code of their own."""

    def compare(self, text, changes=()):
        code = dict(CODE)
        for path, old, new in changes:
            self.assertIn(old, code[path])
            code[path] = code[path].replace(old, new)
        for path, content in code.items():
            os.makedirs(os.path.dirname(os.path.join(self.folder.name, path)), exist_ok=True)
            with open(os.path.join(self.folder.name, path), "w", encoding="utf-8") as file:
                file.write(content)
        found = answer_keys.errors(self.read(text), self.folder.name)
        return [error.replace(self.folder.name + "/", "") for error in found]

    def test_equal_code_is_accepted(self):
        self.assertEqual(self.compare(ALL), [])

    def test_differences_are_named(self):
        tree = "server/query/tree.c"
        for text, changes, expected in (
                (ALL.replace("GET health: nothing\n", ""), (), "GET health has no description: schema/answers/*.answers needs a line `GET health: ...`"),
                (ALL.replace("summary pstats: Tree\n", ""), (), "the summary of pstats has no description: schema/answers/*.answers needs a line `summary pstats: ...`"),
                (ALL, [("server/query/views.c", '"tree"', '"trees"')], "GET runs/{run}/trees has no description: schema/answers/*.answers needs a line `GET runs/{run}/trees: ...`"),
                (ALL, [("server/query/views.c", ', "notes", NULL', ', "gaps", NULL')],
                 "trees.answers:12: GET runs/{run}/notes answers rows of gaps: write `table gaps`"),
                (ALL + "GET ready: nothing\n", (), "trees.answers:16: there is no endpoint GET ready"),
                (ALL.replace("summary pstats", "summary pstats, dumps"), (), "trees.answers:15: importers/kinds.c has no kind dumps"),
                (ALL, [(tree, '"n", 1', '"m", 1')], f"{tree}: writes the key m, which no type that is `written by` this file has"),
                (ALL, [(tree, '"self_us"', '"total_us"')], f"{tree}: writes the key total_us, which no type that is `written by` this file has"),
                (ALL, [(tree, '"note"', '"text"')], f"{tree}: writes the key text, which no type that is `written by` this file has"),
                (ALL, [(tree, "t_s", "time_s")], f"{tree}: writes the key time_s, which no type that is `written by` this file has"),
                (ALL, [(tree, '"place"', '"where"')], f"trees.answers:5: Tree.place is described, but {tree} has no such literal"),
                (ALL, [(tree, "ps_fail(err,", "ps_buf_text(out,")], f"{tree}: writes the key run, which no type that is `written by` this file has"),
                (ALL.replace("written by server/query/tree.c\n", ""), (), f"{tree}: writes keys, and no `written by` names it"),
                (ALL.replace("query/tree.c", "query/leaf.c"), (), "trees.answers:5: there is no file server/query/leaf.c")):
            with self.subTest(expected):
                self.assertIn(expected, self.compare(text, changes))


if __name__ == "__main__":
    unittest.main()
