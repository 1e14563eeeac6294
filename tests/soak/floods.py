#!/usr/bin/env python3
"""What floods of HTTP/2 frames by one client cost another: how long a small request takes beside each, against how long it takes
when nothing else runs. floods.py SECONDS of each."""
import os
import statistics
import struct
import sys
import time
from multiprocessing import Event, Process

from harness import Daemon, check, finish
from http2_frames import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, PING, RST_STREAM, SETTINGS, WINDOW_UPDATE, Connection, block, frame,
                          headers, request, setting)

MOST = 10  # times as long as idle
FLOODERS = 2
POST = request("/v1/models:infer", "POST")


def rapid_reset(stream):
    return headers(request(), stream) + frame(RST_STREAM, 0, stream, struct.pack(">I", 8))


# A flood is what is sent over and over on one connection, by the number of a stream that was not used.
FLOODS = {
    "rapid reset": lambda stream: b"".join(rapid_reset(stream + 2 * i) for i in range(100)),
    "requests": lambda stream: b"".join(headers(request(), stream + 2 * i) for i in range(100)),
    "CONTINUATION": lambda stream: headers(request(), stream, END_STREAM) + 7 * frame(CONTINUATION, 0, stream, block(("a", "x" * 16000))),
    "header bomb": lambda stream: headers([*request(), *[("a", "x" * 100)] * 100], stream),
    "SETTINGS": lambda stream: 100 * frame(SETTINGS, 0, 0, setting((3, 100), (4, 65535))),
    "PING": lambda stream: 100 * frame(PING, 0, 0, bytes(8)),
    "PING acknowledgements": lambda stream: 100 * frame(PING, ACK, 0, bytes(8)),
    "empty DATA": lambda stream: headers(POST, stream, END_HEADERS) + 100 * frame(DATA, 0, stream),
    "window of 0": lambda stream: frame(SETTINGS, 0, 0, setting((4, 0))) + headers(request("/v1/operators"), stream),
    "WINDOW_UPDATE": lambda stream: 100 * frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)),
    "unknown frames": lambda stream: 1000 * frame(0x16, 0, 0),
}


def flood(daemon, make, is_over):
    os.nice(10)  # so that the one who measures is not short of time itself
    while not is_over.is_set():
        with Connection(daemon) as connection:
            connection.socket.settimeout(0.2)
            try:
                for stream in range(1, 100000, 200):
                    connection.socket.sendall(make(stream))
                    if is_over.is_set():
                        break
            except OSError:
                pass  # it was refused: once more


def latency(daemon, seconds):
    """The middle of how long a small request takes, in ms."""
    taken, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        begun = time.monotonic()
        if daemon.get("/livez").status != 200:
            return float("inf")
        taken.append(1000 * (time.monotonic() - begun))
    return statistics.median(taken)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3
    with Daemon("--answer-s", "2", drop_log=True) as daemon:
        idle = latency(daemon, seconds)
        for name, make in FLOODS.items():
            is_over = Event()
            flooders = [Process(target=flood, args=(daemon, make, is_over)) for _ in range(FLOODERS)]
            for each in flooders:
                each.start()
            before = daemon.cpu_seconds()
            found = latency(daemon, seconds)
            worked = daemon.cpu_seconds() - before
            is_over.set()
            for each in flooders:
                each.join()
            check("%s: %.2f ms, idle %.2f ms; the daemon has worked %.1f s in %g s" % (name, found, idle, worked, seconds), found <= MOST * idle)
    finish()


main()
