"""Random nodes as in tests/blackbox/test_runtime_operators.py, as many of each operator as are asked for."""
import sys

from harness import finish
from test_runtime_operators import examine_all

FIRST = 10 ** 9

examine_all(FIRST, int(sys.argv[1]))
finish()
