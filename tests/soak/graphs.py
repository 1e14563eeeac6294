"""Random models as in tests/blackbox/test_random.py, as many as are asked for."""
import sys

from harness import finish
from test_random import examine_all

FIRST = 10 ** 9

examine_all(FIRST, int(sys.argv[1]))
finish()
