#!/usr/bin/env python3
"""Writes the table of powers of ten that float_text.c multiplies with: gen_powers.py OUT.h

An entry is 10^k as a number of 128 bits whose highest bit is set, rounded down, and 1 more: so it is larger than what it
stands for, by no more than a unit in its last place. The logarithms that float_text.c takes by a multiplication and a
shift are held against exact integers here, for all exponents that occur.
"""
import sys

LEAST, MOST = -292, 324  # of k: for the exponents of double's largest and smallest number
EXPONENTS = range(-1074, 972)  # of two, of a double's lowest bit


def entry(k):
    numerator, denominator = 10 ** max(k, 0), 10 ** max(-k, 0)
    shift = 127 - (k * 1741647 >> 19)
    scaled = (numerator << max(shift, 0)) // (denominator << max(-shift, 0))
    assert scaled.bit_length() == 128, k
    return scaled + 1


def check_logarithms():
    for quarters, offset in ((4, 0), (3, 524031)):
        for e in EXPONENTS:
            numerator, denominator = quarters << max(e, 0), 4 << max(-e, 0)
            tens = e * 1262611 - offset >> 22
            assert 10 ** max(tens, 0) * denominator <= numerator * 10 ** max(-tens, 0), e
            assert numerator * 10 ** max(-tens - 1, 0) < 10 ** max(tens + 1, 0) * denominator, e


def main():
    check_logarithms()
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("/* Written by gen_powers.py, which tells what it is. */\n")
        out.write("#define POWER_LEAST (%d)\n" % LEAST)
        out.write("#define POWER_MOST  %d\n" % MOST)
        out.write("static const struct power powers[POWER_MOST - POWER_LEAST + 1] = {\n")
        for k in range(LEAST, MOST + 1):
            out.write("        {0x%016x, 0x%016x}, /* 1e%d */\n" % (entry(k) >> 64, entry(k) & (1 << 64) - 1, k))
        out.write("};\n")


if __name__ == "__main__":
    main()
