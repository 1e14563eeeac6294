"""Dimensions as the API prints them: integers, or Python expressions whose names may stand in backquotes."""
import random
import re

_TOKEN = re.compile(r"`((?:[^`\\]|\\.)*)`|([A-Za-z_][A-Za-z0-9_]*)")
_FUNCTIONS = {"max": max, "min": min, "broadcast": lambda a, b: b if a == 1 else a}
_TRIALS = 7


def names(text):
    """The symbols of an expression."""
    found = ((m.group(1), m.group(2)) for m in _TOKEN.finditer(text))
    return {re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain
            for quoted, plain in found if plain not in _FUNCTIONS}


def evaluate(dimension, values, known=()):
    """The value where `values` has a number for every name; None where it is not defined. One of the `known` symbols
    alone is spelled as it is, whatever it looks like."""
    if isinstance(dimension, int):
        return dimension
    if dimension in known:
        return values[dimension]

    def number(match):
        name = re.sub(r"\\(.)", r"\1", match.group(1)) if match.group(1) is not None else match.group(2)
        return name if name in _FUNCTIONS and match.group(1) is None else "(%d)" % values[name]

    try:
        return eval(_TOKEN.sub(number, dimension), {"__builtins__": {}}, _FUNCTIONS)  # pylint: disable=eval-used
    except (ZeroDivisionError, KeyError, SyntaxError):
        return None


def same(wanted, got, known=()):
    """Whether two dimensions agree wherever the wanted one is defined, as far as trying tells. `known`: the symbols of
    the answer that `got` comes from."""
    if str(wanted) == str(got):
        return True
    if not isinstance(got, (int, str)):
        return False
    pick = random.Random(1)
    symbols = sorted(names(str(wanted)) | names(str(got)) | set(known))
    for trial in range(_TRIALS):
        values = {name: pick.randrange(1, 4 ** (trial + 1)) * (1 + trial % 2 * 7) for name in symbols}
        expected = evaluate(str(wanted), values)
        if expected is not None and evaluate(got, values, known) != expected:
            return False
    return True
