# SPDX-License-Identifier: GPL-3.0-or-later
"""A host's conversation with one board in single mode."""

import time
from collections import Counter

import dgt_messages as msg

# Host commands (protocol: host to board commands).
RESET, SEND_CLK, SEND_BRD = 0x40, 0x41, 0x42
UPDATE, UPDATE_BRD, UPDATE_NICE = 0x43, 0x44, 0x4B
SERIALNR, BUSADRES, TRADEMARK, EE_MOVES = 0x45, 0x46, 0x47, 0x49
TO_BUSMODE, BATTERY, VERSION, LONG_SERIALNR = 0x4A, 0x4C, 0x4D, 0x55

REPLIES = {
    SEND_CLK: msg.CLOCK, SEND_BRD: msg.DUMP, SERIALNR: msg.SERIAL, BUSADRES: msg.BUSADDRESS,
    TRADEMARK: msg.TRADEMARK, EE_MOVES: msg.EE_MOVES, BATTERY: msg.BATTERY,
    VERSION: msg.VERSION, LONG_SERIALNR: msg.LONG_SERIAL,
}
NEVER_SEND = {0x4E, 0x51, 0x53, 0x54}

# Clock commands (protocol: the clock, commands).
CLOCK_END, CLOCK_VERSION, CLOCK_SETNRUN = 0x03, 0x09, 0x0A
ACK_ALIAS = {0x02, 0x03, 0x0C, 0x0D}  # an ack of 01 answers these too
ACK_GOOD, ACK_REFUSED = 0x10, 0x40

IDLE_MODE = "IDLE"
MODE_NAMES = {RESET: IDLE_MODE, UPDATE: "UPDATE", UPDATE_BRD: "UPDATE_BRD", UPDATE_NICE: "UPDATE_NICE"}
CLOCK_STREAMS = {"UPDATE", "UPDATE_NICE"}
FIELD_STREAMS = {"UPDATE", "UPDATE_BRD", "UPDATE_NICE"}

PARTIAL_MESSAGE = 0.5   # an unfinished message is given up after this silence
SETTLED = 0.6           # the board has reported all changes after this silence
GRACE = 0.4             # a stream may run on for this time after a change of mode
ACK_TIMEOUT = 2.5
CLOCK_PACE = 1.0
REPEATED_ACK = 2.0      # some boards answer with the last ack for a while
KEEP_ALIVE = 3.0
LOST = 5.0


class SingleSession:
    """Sends commands, follows the mode and the position, judges what comes back."""

    def __init__(self, port, reporter, until=None):
        self.port = port
        self.reporter = reporter
        self.position = msg.Position()
        self.mode = None
        self.goal_reached = False
        self.goal_counts = True        # false while changes may be missed
        self.clock_present = False
        self.clock_main = None         # main version of a clock that answers
        self.latest = {}               # id -> events of the last message
        self.received = Counter()      # id -> number of messages
        self.last_times = None
        self._until = until
        self._framer = msg.Framer()
        self._expected = Counter()     # id -> answers still due
        self._grace_until = 0.0
        self._last_byte = self._last_field = time.monotonic()
        self._last_clock_command = 0.0
        self._pending_command = None
        self._command_sent = None
        self._answer = None
        self._last_ack = None
        self._dump_differs = []

    # ------------------------------------------------------------ line

    def wait(self, done, timeout):
        """Handle input until done() or the timeout; say whether it is done."""
        end = time.monotonic() + timeout
        while not done():
            now = time.monotonic()
            if now >= end:
                return False
            self._handle_bytes(self.port.read(min(end - now, 0.25)))
        return True

    def pump(self, seconds):
        """Handle input for a while."""
        self.wait(lambda: False, seconds)

    def _handle_bytes(self, data):
        now = time.monotonic()
        if data:
            self._last_byte = now
            items = self._framer.feed(data)
        elif now - self._last_byte > PARTIAL_MESSAGE:
            items = self._framer.flush()
        else:
            return
        for item in items:
            self._handle(item)

    def send(self, data):
        """Write a frame; commands that harm a board are an error of this program."""
        assert data[0] not in NEVER_SEND
        self.port.write(data)

    def forget_input(self):
        """Start with an empty input, after another mode."""
        self._framer = msg.Framer()

    def set_mode(self, command):
        """Send a command that changes the mode, and wait the time a board needs."""
        self.mode = MODE_NAMES[command]
        if self.mode not in CLOCK_STREAMS:
            self._expected.clear()
        self._grace_until = time.monotonic() + GRACE
        self.send(bytes([command]))
        self.pump(0.1)

    def ask(self, command, timeout=1.0, tries=1, optional=False):
        """Send a one-byte command and return the events of its answer, or None."""
        ident = REPLIES[command]
        for _ in range(tries):
            before = self.received[ident]
            self._expected[ident] += 1
            self.send(bytes([command]))
            if self.wait(lambda: self.received[ident] > before, timeout):
                return self.latest[ident]
        if optional:
            self.reporter.unanswered(f"{command:02x}")
            self._expected[ident] = 0
        return None

    def ask_clock(self, timeout=1.0):
        """Ask for the clock times; None without an answer, {} when it is something else."""
        events = self.ask(SEND_CLK, timeout)
        if events is None:
            return None
        return events[0] if events[0]["event"] == "times" else {}

    # ------------------------------------------------------------ received messages

    def _handle(self, item):
        if isinstance(item, msg.Frame):
            self._handle_frame(item)
        elif isinstance(item, msg.Noise):
            self.reporter.emit({"event": "noise", "bytes": len(item.data), "reason": item.reason,
                                "data": item.data[:40].hex(" ")})
        elif isinstance(item, msg.Broken):
            self.reporter.violation(item.what, data=item.data[:40].hex(" "))
        else:
            self.reporter.violation(f"bus message {item.id:02x} in single mode", data=item.raw[:40].hex(" "))
            self.set_mode(RESET)

    def _handle_frame(self, frame):
        events = msg.decode(frame)
        self._check_expected(frame.id, events)
        if frame.id == msg.FIELD:
            self._last_field = time.monotonic()
        for event in events:
            self.reporter.emit(event)
            self._learn(event, frame)
        self.latest[frame.id] = events
        self.received[frame.id] += 1

    def _check_expected(self, ident, events):
        streams = {msg.FIELD: FIELD_STREAMS, msg.CLOCK: CLOCK_STREAMS}.get(ident, ())
        if self._expected[ident]:
            self._expected[ident] -= 1
        elif self.mode not in streams and not (streams and time.monotonic() < self._grace_until):
            self.reporter.violation(f"unsolicited message {ident:02x} ({events[0]['event']}) in {self.mode}")

    def _learn(self, event, frame):
        kind = event["event"]
        if kind == "field":
            self.position.put(event["raw"], frame.payload[1] & 0x0F)
            self._check_goal()
        elif kind == "dump":
            self._learn_dump(frame.payload)
        elif kind == "times":
            self.last_times = event
            self.clock_present = True
        elif kind == "no_clock":
            self.clock_present = False
        elif kind == "ack":
            self._learn_ack(event)

    def _learn_dump(self, codes):
        if self.position.squares is None:
            self.position.adopt(codes)
            self._dump_differs = []
            self._check_goal()
        else:
            self._dump_differs = self.position.differences(codes)

    def _check_goal(self):
        if self._until and self.goal_counts and not self.goal_reached and self.position.placement() == self._until:
            self.goal_reached = True
            self.reporter.emit({"event": "goal", "placement": self._until})

    # ------------------------------------------------------------ position

    def baseline(self):
        """Take the next dump as it is; changes before it do not count."""
        self.position.squares = None
        return self.ask(SEND_BRD, tries=2) is not None

    def settle(self):
        """Wait until no square has changed for a while; give up after 5 s."""
        return self.wait(lambda: time.monotonic() - self._last_field >= SETTLED, 5.0)

    def verify_position(self):
        """Compare a dump with the model; ask once more before complaining."""
        for _ in range(2):
            if not self.settle():
                return
            if self.ask(SEND_BRD) is None:
                self.reporter.violation("no answer to 42")
                return
            if not self._dump_differs:
                return
        self.reporter.violation("the dump contradicts the updates", squares=self._dump_differs)
        self.baseline()

    # ------------------------------------------------------------ clock commands

    def _learn_ack(self, event):
        if event["auto"]:
            return
        now = time.monotonic()
        if self._pending_command is not None and self._answers(event["ack"], self._pending_command):
            self._pending_command = None
            self._answer = event
        elif not self._is_repeat(event["ack"], now):
            if self._pending_command is None:
                self.reporter.violation("an ack without a clock command", ack=event["ack"])
            else:
                self.reporter.violation(f"wrong ack to clock command {self._pending_command:02x}", ack=event["ack"])
        self._last_ack = event["ack"]

    @staticmethod
    def _answers(ack, command):
        if ack[1] == command or (ack[1] == 0x01 and command in ACK_ALIAS):
            return True
        return ack[0] != ACK_GOOD and ack[1] == 0

    def _is_repeat(self, ack, now):
        """A cached ack of the last command, or a late one."""
        if now - self._last_clock_command > ACK_TIMEOUT + REPEATED_ACK:
            return False
        return ack == self._last_ack or (self._command_sent is not None and ack[1] == self._command_sent)

    def fire_clock_command(self, command, arguments=b""):
        """Send a clock command at a pace that every clock stands."""
        self.pump(max(0.0, self._last_clock_command + CLOCK_PACE - time.monotonic()))
        self._command_sent = command
        self._last_clock_command = time.monotonic()
        self.send(msg.clock_message(command, arguments))

    def clock_command(self, command, arguments=b"", tries=3, timeout=ACK_TIMEOUT):
        """Send a clock command until it is acked or refused; return the ack or None."""
        self._answer = None
        for _ in range(tries):
            self.fire_clock_command(command, arguments)
            self._pending_command = command
            self.wait(lambda: self._answer is not None, timeout)
            self._pending_command = None
            if self._answer and self._answer["ack"][0] in (ACK_GOOD, ACK_REFUSED):
                return self._answer
        if self._answer is None:
            self.reporter.unanswered(f"2b {command:02x}")
        return self._answer

    def find_clock(self):
        """Ask the clock's version; without an answer it can only be read."""
        answer = self.clock_command(CLOCK_VERSION, timeout=2.0)
        if answer and answer["ok"]:
            self.clock_main = answer["ack"][2] >> 4

    # ------------------------------------------------------------ the whole conversation

    def start(self):
        """The start-up sequence that suits all boards; False when nobody answers."""
        self.port.discard(0.5)
        self.send(bytes([RESET]))
        self.port.discard(0.1, silence=0.1)
        self.mode = IDLE_MODE
        if not self._life_check():
            return False
        if self.ask(SERIALNR, tries=2) is None:
            self.reporter.violation("no answer to 45")
        self.ask(LONG_SERIALNR, optional=True)
        self.set_mode(UPDATE_NICE)
        if not self.baseline():
            self.reporter.violation("no answer to 42")
            return False
        self.find_clock()
        if self.ask_clock() is None:
            self.reporter.unanswered("41")
        return True

    def _life_check(self):
        for _ in range(5):
            if self.ask(VERSION):
                return True
            self.pump(1.0)
        return False

    def listen(self, seconds, idle_dump=None):
        """Report what the hands do until the goal or the end; False when the board is lost."""
        end = time.monotonic() + seconds
        next_dump = time.monotonic() + (idle_dump or 0)
        asked = 0.0
        while not self.goal_reached and time.monotonic() < end:
            self.wait(lambda: self.goal_reached, min(0.25, end - time.monotonic()))
            now = time.monotonic()
            if now - self._last_byte > LOST:
                self.reporter.emit({"event": "lost", "reason": "no byte for 5 s"})
                return False
            if now - self._last_byte > KEEP_ALIVE and now - asked > 1.0:
                asked = now
                self._expected[msg.SERIAL] += 1
                self.send(bytes([SERIALNR]))
            if idle_dump and now >= next_dump:
                self.verify_position()
                next_dump = time.monotonic() + idle_dump
        return True

    def finish(self):
        """Leave the board silent."""
        self.send(bytes([RESET]))
        self.mode = None
