#!/usr/bin/env python3
"""What gen_registry.py says of faulty tables: file, line and fault.  Usage: test_gen_registry.py GEN_REGISTRY_PY"""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)).resolve().parent))
import gen_registry  # found only now

SETS = "floats = float16 float double\nfloats13 = floats bfloat16\n"
RELU = "Relu: Sets negative elements to zero.\nRelu  6  Relu  -  (X: T) -> (Y: T)\n        T = floats\n"
RULES = "enum ox_code infer_Relu(struct node *n)\n{\n}\n"
A = "A: Does it.\n"


class Folder:
    """A folder with one family's table and rules, and what the generator makes of them."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def generate(self, rows, sets=SETS, rules="", source="a.c"):
        for name, text in (("types.set", sets), ("a.ops", rows), (source, rules)):
            (self.path / name).write_text(text)
        os.chdir(self.path)
        try:
            gen_registry.main(".", "types.set", "a.ops", source)
        except SystemExit as end:
            return 1, str(end)
        return 0, ""

    def text(self, name):
        return (self.path / name).read_text()


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Folder(folder.name)

    def fault(self, rows, message, sets=SETS, rules=""):
        self.assertEqual(self.folder.generate(rows, sets, rules), (1, message))

    def row_fault(self, row, message):
        """Of a row of operator A, which stands in line 2."""
        self.fault(A + row + "\n", "a.ops:2: error: " + message)

    def table(self, row):
        self.assertEqual(self.folder.generate('few = ["a", "b"]\n' + A + row + "\n"), (0, ""))
        return self.folder.text("registry_table.c")

    def test_good(self):
        self.assertEqual(self.folder.generate(RELU, rules=RULES), (0, ""))
        self.assertIn('{"", "Relu", "Sets negative elements to zero.", 6, false, false, 1, 1, 1, 1,',
                      self.folder.text("registry_table.c"))
        self.assertIn("enum ox_code infer_Relu(struct node *n);", self.folder.text("a.h"))

    def test_what_stays_the_same_is_not_written(self):
        self.folder.generate(RELU, rules=RULES)
        for name in ("registry_table.c", "a.h"):
            os.utime(self.folder.path / name, (1, 1))
        self.folder.generate(RELU.replace("floats", "double"), rules=RULES + "/* more */\n")
        self.assertEqual((self.folder.path / "a.h").stat().st_mtime, 1)
        self.assertNotEqual((self.folder.path / "registry_table.c").stat().st_mtime, 1)

    def test_float_default_is_what_float32_holds(self):
        self.assertIn(".f = 0.009999999776482582", self.table("A 1 - - (X: float) -> () {alpha: float = 0.01}"))

    def test_list_default(self):
        self.assertIn("0.5,\n        2.0,\n};", self.table("A 1 - - () -> () {scales: floats = [0.5, 2]}"))

    def test_continued_text_and_comment(self):
        row = 'A 1 - - (X: float)  # "\n        -> (Y: float) {s: string = "a # \\"b\\""}'
        self.assertIn('.s = "a # \\"b\\""', self.table(row))

    def test_nested_types(self):
        table = self.table("A 1 - - (X: seq(float), Y?: map(int64, string)) -> (Z: optional(seq(bool)))")
        for text in ('"seq(tensor(float))", -1', '"map(int64,tensor(string))", -1', '"optional(seq(tensor(bool)))", -1'):
            self.assertIn(text, table)
        self.assertIn(".kind = TYPE_MAP, .elem = (enum elem)7, .rank = RANK_UNKNOWN, .of = types_2", table)

    def test_input_that_an_output_is_like(self):
        table = self.table("A 1 - - (X: U, Y: T, Z: T) -> (A: T, B: U, C: V) T = floats; U = double; V = bool")
        for text in ('{"A", "T", 0, NULL, 1,', '{"B", "U", 1, NULL, 0,', '{"C", "V", 2, NULL, -1,'):
            self.assertIn(text, table)
        self.assertIn('{"A", "T", 0, NULL, -1,', self.table("A 1 - - (X: mixed T...) -> (A: T) T = floats"))

    def test_sparse_types(self):
        self.assertIn('"sparse_tensor(float)"', self.table("A 1 - - (X: T) -> () T = sparse_tensor(floats13)"))

    def test_open(self):
        self.assertIn('"Does it.", 1, false, false,', self.table("A 1 - - () -> ()"))
        self.assertIn('"Does it.", 1, false, true,', self.table("A 1 - - open () -> ()"))
        self.assertEqual(self.folder.generate("domain my open\n" + A + "A 1 - - () -> ()\n"), (0, ""))
        table = self.folder.text("registry_table.c")
        self.assertIn('{"my", "A", "Does it.", 1, false, true,', table)
        self.assertIn('{"my", 1, true},', table)

    def test_allowed(self):
        for attribute, wanted in (
                ('m: string in ["a", "b" | "c"] = "a"', ".count = 2, .spelled = 3"),
                ("n: int in 1..", ".least = INT64_C(1), .most = INT64_MAX"),
                ("n: int in ..1", ".least = INT64_MIN, .most = INT64_C(1)"),
                ("n: ints in -1..1", ".least = INT64_C(-1), .most = INT64_C(1)"),
                ("n: int in [2, 4, 8]", ".count = 3"),
                ("x: floats[2..3] in 0.5..", ".f_least = 0.5, .f_most = INFINITY, .min_count = 2, .max_count = 3"),
                ("n: ints[1..]", ".min_count = 1, .max_count = SIZE_MAX"),
                ("n: ints[2]", ".min_count = 2, .max_count = 2"),
                ("n: int in? 0..1", ".warns = true"),
                ("m: string in? few = \"b\"", ".count = 2, .spelled = 2")):
            self.assertIn(wanted, self.table("A 1 - - () -> () {%s}" % attribute), attribute)

    def test_element_type_of_an_attribute(self):
        table = self.table("A 1 - - () -> (Y: T) {to: int of T!} T = float double")
        self.assertIn('.elems = UINT64_C(0x802), .variable = "T"', table)
        self.assertIn('{"T", texts_0, 2, UINT64_C(0x802), false, NULL, 0}', table)
        self.assertIn("UINT64_C(0x803)", self.table("A 1 - - () -> (Y: T) {to: int of T = 0} T = float double"))

    def test_faults(self):
        for row, message in (
                ("A 1 - - (X: T) -> (Y: T) T = flaots", "unknown type 'flaots'; did you mean 'floats'?"),
                ("A 1 - - (X: U) -> (Y: T) T = floats", "unknown type of parameter 'X': 'U'"),
                ("A 1 - - (X: floats) -> ()",
                 "parameter 'X' is of the set 'floats', which needs a variable: `T = floats`"),
                ("A 1 - - (X: seq(floats)) -> ()", "seq(...) of several types needs a variable: `V = seq(...)`"),
                ("A 1 - - (X: float) -> () T = floats", "no parameter is a T"),
                ("A 1 - - () -> () {n: int = 1.5}", "1.5 is not a value of type int"),
                ("A 1 - - () -> () {n: int, n: int}", "two attributes 'n'"),
                ("A 1 - - () -> () {n: integer}", "unknown attribute type 'integer'; did you mean 'int'?"),
                ("A 1 - - () -> () {n: graph = 1}", "an attribute of type graph cannot have a default"),
                ("A 1 - - (X: float..., Y: float) -> ()", "a variadic parameter must be the last"),
                ("A one - - () -> ()", "a version expected, got 'one'"),
                ("A 1 @for - () -> ()", "a rule expected, got '@for'"),
                ("A 1 - - () ->", "'(' expected at the end"),
                ("A 1 - - () -> () $", "unexpected '$'")):
            self.row_fault(row, message)

    def test_faults_of_allowed_values(self):
        for attribute, message in (
                ('m: string in ["a"] = "b"', "the default of 'm', 'b', is not an allowed value"),
                ("n: int in 1.. = 0", "the default of 'n', 0, is not an allowed value"),
                ("n: ints[2] = [1]", "the default of 'n' is not of an allowed length"),
                ("n: int in ..", "a range is `least..`, `..most` or `least..most`"),
                ("n: int in 2..1", "a range is `least..`, `..most` or `least..most`"),
                ("n: int in few", "unknown list of values 'few'"),
                ("n: int in []", "allowed values must be at least one, and each once"),
                ("n: int in [1, 1]", "allowed values must be at least one, and each once"),
                ('m: string in "a"..', "allowed texts stand in brackets"),
                ("g: graph in 1..", "values of an attribute of type graph cannot be bounded"),
                ("n: int[2]", "attribute 'n' is not a list, whose length could be bounded"),
                ("n: ints[-1..]", "a length must be at least 0"),
                ("x: float of T", "'of' is for attributes of type int or ints, and 'x' is of type float"),
                ("n: int of T", "unknown type of attribute 'n': 'T'"),
                ("n: int of floats = 3", "the default of 'n', 3, is not an allowed value")):
            self.row_fault("A 1 - - () -> () {%s}" % attribute, message)
        self.row_fault("A 1 - - () -> (Y: T) {m: int of T, n: int of T} T = float",
                       "two attributes name the element type of one variable")

    def test_rules(self):
        self.fault(RELU.replace("Relu  -", "Relo  -"), "a.ops:2: error: unknown rule 'Relo'; did you mean 'Relu'?",
                   rules=RULES)
        self.fault(RELU.replace("-  (", "Relu  ("), "a.ops:2: error: unknown content rule 'Relu'", rules=RULES)
        self.fault(A + "A 1 - - () -> ()\n", "a.c:1: error: no table names infer_Relu", rules=RULES)

    def test_rules_without_a_table(self):
        self.assertEqual(self.folder.generate(RELU, rules=RULES, source="b.c"),
                         (1, "b.c:1: error: rules need a table of their family, b: a file b.ops beside it, or any in a "
                             "folder b"))

    def test_rule_names(self):
        def rules(*names):
            return "".join("enum ox_code infer_%s(struct node *n)\n{\n}\n" % name for name in names)
        self.fault(A + "A 1 Pool - () -> ()\n",
                   "a.ops:2: error: rule 'Pool' has the name of none of its operators, A: small letters are for a rule that "
                   "several share", rules=rules("Pool"))
        self.fault(A + "A 1 pool - () -> ()\n", "a.ops:2: error: rule 'pool' is A's alone and must have its name",
                   rules=rules("pool"))
        two = A + "A 1 %s - () -> ()\ndomain com.b\n" + A + "A 1 %s - () -> ()\n"
        self.assertEqual(self.folder.generate(two % ("A", "com_b_A"), rules=rules("A", "com_b_A")), (0, ""))
        self.assertEqual(self.folder.generate(two % ("A", "A"), rules=rules("A")), (0, ""))
        self.fault(two % ("com_b_A", "com_b_A"), "a.ops:2: error: rule 'com_b_A' is of another domain than its row",
                   rules=rules("com_b_A"))
        shared = A + "A 1 pool - () -> ()\nB: Too.\nB 1 pool - () -> ()\n"
        self.assertEqual(self.folder.generate(shared, rules=rules("pool")), (0, ""))

    def test_element_rules(self):
        element = "struct scalar element_Relu(struct node *n, const struct scalar *args, int count)\n{\n}\n"
        rows = RELU.replace("-  (", "Relu  (")
        self.assertEqual(self.folder.generate(rows, rules=RULES + element), (0, ""))
        self.assertIn("infer_Relu, NULL, element_Relu, false}", self.folder.text("registry_table.c"))
        self.assertIn("struct scalar element_Relu(struct node *n, const struct scalar *args, int count);",
                      self.folder.text("a.h"))
        self.fault(rows, "a.c:4: error: Relu has a content_ and an element_ function, of which a row could name only one",
                   rules=RULES + element + "void content_Relu(struct node *n)\n{\n}\n")

    def test_descriptions(self):
        row = "A 1 - - () -> ()\n"
        missing = "error: a description must stand above the first row of A: `A: What it does.`"
        self.fault(row, "a.ops:1: " + missing)
        self.fault("B: Does it.\n" + row, "a.ops:2: " + missing)
        self.fault(A + "domain b\n" + row, "a.ops:3: " + missing)
        sentence = "a.ops:1: error: the description of A must be a sentence: a capital at its head, a full stop behind"
        for text in ("does it.", "Does it", ""):
            self.fault("A: %s\n" % text + row, sentence)
        self.fault("A: D%s.\n" % ("o" * 120) + row, "a.ops:1: error: the line has more than 120 characters")
        self.fault("A: D%s\n        %s.\n" % ("o" * 100, "o" * 99) + row,
                   "a.ops:1: error: the description of A has 202 characters, 160 are allowed")

    def test_order(self):
        self.fault(A + "A 1 - - () -> ()\nA 2 - - () -> ()\n",
                   "a.ops:3: error: A 2 must stand above 1: the newest comes first")
        self.fault(A + "A 1 - - () -> ()\nA 1 - - () -> ()\n",
                   "a.ops:3: error: A 1 must stand above 1: the newest comes first")
        self.fault(A + "A 2 - - () -> ()\nB: Too.\nB 1 - - () -> ()\n" + A + "A 1 - - () -> ()\n",
                   "a.ops:6: error: A has rows elsewhere: a.ops:2")

    def test_lists(self):
        self.fault("few = [1]\nfew = [2]\n", "a.ops:2: error: 'few' is there already")
        self.fault("few = [1] [2]\n", "a.ops:1: error: `NAME = [VALUE, ...]` expected")
        self.fault("few = [1]\n" + A + "A 1 - - () -> () {m: string in few}\n",
                   "a.ops:3: error: 1 is not a value of type string")

    def test_sets(self):
        self.fault(RELU, "types.set:2: error: 'floats' is there already", "floats = float\nfloats = double\n")
        self.fault(RELU, "types.set:1: error: 'float' adds nothing", "floats = float float\n")
        self.fault(RELU, "types.set:1: error: '-double' takes away what is not there", "floats = float -double\n")


if __name__ == "__main__":
    unittest.main()
