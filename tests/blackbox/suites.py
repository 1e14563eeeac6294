"""The models that other tests send, for tests of what must hold of every model."""
import importlib

from harness import Daemon

# What sends many models, of every kind.
SUITES = ("test_attributes", "test_bodies", "test_control", "test_declared", "test_facts", "test_functions",
          "test_loops", "test_options", "test_order", "test_patch")


class Recorder(Daemon):
    """Records the requests to models:infer, with their options."""
    seen = {}

    def infer(self, data, *args, **options):
        if isinstance(data, (bytes, bytearray)) and not args:
            kept = tuple(sorted((k, v) for k, v in options.items() if k in ("ignore_declared", "check_types")))
            Recorder.seen.setdefault((bytes(data), kept), self.suite)
        return super().infer(data, *args, **options)


def collect():
    for name in SUITES:
        suite = importlib.import_module(name)
        Recorder.suite = name
        suite.Daemon, suite.finish, suite.check, suite.equal = Recorder, lambda: None, ignore, ignore
        suite.main()
    return [(suite, data, dict(options)) for (data, options), suite in Recorder.seen.items()]


def ignore(*_):
    """In the place of other tests' checks."""
