# SPDX-License-Identifier: GPL-3.0-or-later
"""The serial line to a board, and the report on what was learnt over it."""

import fcntl
import json
import os
import select
import sys
import termios
import time
from collections import Counter


class PortGone(Exception):
    """The port cannot be opened, or was closed from the other side."""


class Port:
    """A serial port or pseudo terminal, raw, 9600 8N1, no handshake."""

    def __init__(self, path, drop_echo=False):
        self._drop_echo = drop_echo
        self._echo = bytearray()
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            self._set_raw()
        except (OSError, termios.error) as error:
            raise PortGone(f"cannot open the port: {error}") from error
        self._exclusive(termios.TIOCEXCL)

    def _set_raw(self):
        attributes = termios.tcgetattr(self._fd)
        attributes[0] = termios.IGNBRK | termios.IGNPAR
        attributes[1] = 0
        attributes[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
        attributes[3] = 0
        attributes[4] = attributes[5] = termios.B9600
        attributes[6][termios.VMIN], attributes[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSANOW, attributes)

    def _exclusive(self, request):
        try:
            fcntl.ioctl(self._fd, request)
        except OSError:
            pass

    def close(self):
        """Leave the port to others."""
        self._exclusive(termios.TIOCNXCL)
        os.close(self._fd)

    def write(self, data):
        """Write a whole frame, in one go where the line takes it."""
        if self._drop_echo:
            self._echo += data
        while data:
            select.select([], [self._fd], [], 1.0)
            try:
                data = data[os.write(self._fd, data):]
            except BlockingIOError:
                continue
            except OSError as error:
                raise PortGone(f"cannot write: {error}") from error

    def read(self, timeout):
        """Bytes that arrive within the timeout, at once when there are some."""
        ready, _, _ = select.select([self._fd], [], [], max(0.0, timeout))
        if not ready:
            return b""
        try:
            data = os.read(self._fd, 4096)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise PortGone(f"cannot read: {error}") from error
        if not data:
            raise PortGone("the line was closed")
        return self._without_echo(data)

    def _without_echo(self, data):
        same = 0
        while same < min(len(data), len(self._echo)) and data[same] == self._echo[same]:
            same += 1
        del self._echo[:same]
        return data[same:]

    def discard(self, seconds, silence=0.0):
        """Throw away what arrives for a while, then on until a silence (at most 1 s more)."""
        end = time.monotonic() + seconds
        last_end = end + 1.0
        while (now := time.monotonic()) < end:
            if self.read(end - now) and silence:
                end = min(last_end, max(end, time.monotonic() + silence))


class Reporter:
    """Prints events as JSON lines and counts them."""

    LOUD = {"violation", "goal", "unanswered", "lost", "summary"}

    def __init__(self, quiet=False):
        self.counts = Counter()
        self._quiet = quiet
        self._start = time.monotonic()

    @property
    def violations(self):
        """Number of breaches of the protocol so far."""
        return self.counts["violation"]

    def emit(self, event, address=None):
        """Print one event; on a bus it carries the board's address."""
        self.counts[event["event"]] += 1
        if self._quiet and event["event"] not in self.LOUD:
            return
        line = {"event": event["event"], "t": round(time.monotonic() - self._start, 3)}
        if address is not None:
            line["address"] = address
        line.update(event)
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    def violation(self, what, address=None, **more):
        """Report a breach of the protocol."""
        self.emit({"event": "violation", "what": what, **more}, address)

    def unanswered(self, command, address=None):
        """Report a command without an answer that not every board gives."""
        self.emit({"event": "unanswered", "command": command}, address)

    def step(self, name, address=None):
        """Mark the beginning of one part of the exercise."""
        self.emit({"event": "step", "name": name}, address)

    def summary(self, **more):
        """Print the last line."""
        counts = dict(sorted(self.counts.items()))
        self.emit({"event": "summary", **more, "violations": self.violations, "counts": counts})
