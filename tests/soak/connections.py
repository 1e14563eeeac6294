#!/usr/bin/env python3
"""Bursts of connections, on a fresh daemon each: past --connections, and 15,000 with all defaults. None may hang it."""
import sys

from harness import Daemon, check, finish
from test_connections import burst, is_alive, raise_files

BURSTS = {"20 of 10": (20, ("--connections", "10")), "130 of 100": (130, ("--connections", "100")),
          "1100 of 1000": (1100, ("--connections", "1000")), "15000 with defaults": (15000, ())}


def main():
    tries = int(sys.argv[1])
    raise_files(16000)
    for what, (count, flags) in BURSTS.items():
        served = 0
        for _ in range(tries):
            with Daemon(*flags) as daemon:
                burst(daemon.port, count)
                if is_alive(daemon):
                    served += 1
                else:
                    daemon.process.kill()
        check("%s: served on after %d of %d bursts" % (what, served, tries), served == tries)
    finish()


if __name__ == "__main__":
    main()
