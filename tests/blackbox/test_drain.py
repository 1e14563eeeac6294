#!/usr/bin/env python3
"""Load from many threads, and SIGTERM in the middle of it: what has begun is finished, what comes later is refused, and
the daemon ends with status 0. tests/run.sh runs this with the thread sanitizer too."""
import http.client
import json
import signal
import socket
import threading

from harness import PATIENCE_SECONDS, Daemon, check, equal, finish, model, wait_for
from wire import Raw, post_head

THREADS = 8
REQUESTS = 25  # of each thread, while the daemon is up
NODE = json.dumps({"node": {"opType": "Relu", "inputs": ["x"], "outputs": ["y"]}, "opset": 14,
                   "inputs": {"x": {"type": "tensor(float)", "shape": ["N", 3]}}})


class Client(threading.Thread):
    """Sends requests one after another until it is told to stop or the daemon is gone."""

    def __init__(self, daemon, number):
        super().__init__()
        self.daemon_process, self.number = daemon, number
        self.good, self.wrong, self.sent = 0, [], 0
        self.draining = False
        self.bodies = [model("resnet50"), model("encoder")]

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon_process.port, timeout=PATIENCE_SECONDS)
        while True:
            try:
                if (self.sent + self.number) % 3:
                    connection.request("POST", "/v1/nodes:infer", NODE, {"Content-Type": "application/json"})
                else:
                    body = self.bodies[self.sent % 2]
                    connection.request("POST", "/v1/models:infer", body, {"Content-Type": "application/octet-stream"})
                answer = connection.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException) as error:
                if not self.draining:
                    self.wrong.append(repr(error))
                return
            self.sent += 1
            if answer.status == 200 and json.loads(text)["values"]:
                self.good += 1
            elif answer.status != 503 or not self.draining:
                self.wrong.append((answer.status, text[:200]))
            if answer.status == 503:
                return


def half_sent(daemon, body):
    """A connection over which half of an upload went, which the daemon has begun to read."""
    upload = Raw(daemon, timeout=PATIENCE_SECONDS)
    upload.send(post_head("/v1/models:infer", "Content-Length: %d" % len(body), "Expect: 100-continue"))
    upload.await_continue()
    return upload.send(body[:len(body) // 2])


def main():
    with Daemon() as daemon:
        clients = [Client(daemon, number) for number in range(THREADS)]
        for client in clients:
            client.start()
        while any(c.is_alive() and c.sent < REQUESTS for c in clients):
            daemon.read_log(0.05)
        body = model("encoder")
        upload = half_sent(daemon, body)
        for client in clients:
            client.draining = True
        daemon.process.send_signal(signal.SIGTERM)
        wait_for(lambda: b"draining" in daemon.read_log())
        equal("an upload in flight is finished after SIGTERM", upload.send(body[len(body) // 2:]).answer()[0], 200)
        upload.close()
        equal("the daemon ends with status 0", daemon.await_end(), 0)
        for client in clients:
            client.join(PATIENCE_SECONDS)
        wrong = [w for c in clients for w in c.wrong]
        check("every answer was right: %d" % sum(c.good for c in clients), not wrong, wrong[:5])
        check("every client was served", all(c.good >= REQUESTS for c in clients), [c.good for c in clients])
        try:
            socket.create_connection(("127.0.0.1", daemon.port), timeout=5).close()
            refused = False
        except OSError:
            refused = True
        check("the port is closed afterwards", refused)
    finish()


if __name__ == "__main__":
    main()
