#!/usr/bin/env python3
"""What gen_registry.py says of faulty tables: file, line and fault.  Usage: test_gen_registry.py GEN_REGISTRY_PY"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

GENERATOR = str(pathlib.Path(sys.argv.pop(1)).resolve())
SETS = "floats = float16 float double\nfloats13 = floats bfloat16\n"
RELU = "Relu  6  Relu  -  (X: T) -> (Y: T)\n        T = floats\n"


def generate(rows, sets=SETS):
    """(exit status, message, table, prototypes) of a run over one family's table."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "types.set").write_text(sets)
        (folder / "a.ops").write_text(rows)
        run = subprocess.run([sys.executable, GENERATOR, "table.c", "rules.h", "types.set", "a.ops"], cwd=folder,
                             capture_output=True, text=True, check=False)
        files = [(folder / file).read_text() if run.returncode == 0 else "" for file in ("table.c", "rules.h")]
        return run.returncode, run.stderr.strip(), *files


class Tables(unittest.TestCase):
    def fault(self, rows, message, sets=SETS):
        status, got, _, _ = generate(rows, sets)
        self.assertNotEqual(status, 0)
        self.assertEqual(got, message)

    def test_good(self):
        status, message, table, rules = generate(RELU)
        self.assertEqual((status, message), (0, ""))
        self.assertIn('{"", "Relu", 6, false, 1, 1, 1, 1,', table)
        self.assertIn("enum ox_code infer_Relu(struct node *n);", rules)

    def test_float_default_is_what_float32_holds(self):
        self.assertIn(".f = 0.009999999776482582", generate("A 1 - - (X: float) -> () {alpha: float = 0.01}\n")[2])

    def test_continued_text_and_comment(self):
        rows = 'A 1 - - (X: float)  # "\n        -> (Y: float) {s: string = "a # \\"b\\""}\n'
        self.assertIn('.s = "a # \\"b\\""', generate(rows)[2])

    def test_faults(self):
        self.fault("A 1 - - (X: T) -> (Y: T) T = flaots\n", "a.ops:1: error: unknown type 'flaots'")
        self.fault("\nA 1 - - (X: U) -> (Y: T) T = floats\n", "a.ops:2: error: parameter 'X' is of unknown type 'U'")
        self.fault("A 1 - - (X: float) -> () T = floats\n", "a.ops:1: error: no parameter is a T")
        self.fault("A 1 - - () -> () {n: int = 1.5}\n", "a.ops:1: error: 1.5 is no int")
        self.fault("A 1 - - () -> () {n: int, n: int}\n", "a.ops:1: error: two attributes 'n'")
        self.fault("A 1 - - () -> () {n: integer}\n", "a.ops:1: error: unknown attribute type 'integer'")
        self.fault("A 1 - - (X: float..., Y: float) -> ()\n", "a.ops:1: error: a variadic parameter must be the last")
        self.fault("A one - - () -> ()\n", "a.ops:1: error: a version expected, got 'one'")
        self.fault("A 1 @for - () -> ()\n", "a.ops:1: error: a rule expected, got '@for'")
        self.fault("A 1 - - () ->\n", "a.ops:1: error: '(' expected at the end")
        self.fault("A 1 - - () -> () $\n", "a.ops:1: error: unexpected '$'")

    def test_order(self):
        self.fault("A 1 - - () -> ()\nA 2 - - () -> ()\n",
                   "a.ops:2: error: A 2 must stand above 1: the newest comes first")
        self.fault("A 1 - - () -> ()\nA 1 - - () -> ()\n",
                   "a.ops:2: error: A 1 must stand above 1: the newest comes first")
        self.fault("A 2 - - () -> ()\nB 1 - - () -> ()\nA 1 - - () -> ()\n",
                   "a.ops:3: error: A has rows elsewhere: a.ops:1")

    def test_sets(self):
        self.fault(RELU, "types.set:2: error: 'floats' is there already", "floats = float\nfloats = double\n")
        self.fault(RELU, "types.set:1: error: 'float' adds nothing", "floats = float float\n")
        self.fault(RELU, "types.set:1: error: '-double' takes away what is not there", "floats = float -double\n")


if __name__ == "__main__":
    unittest.main()
