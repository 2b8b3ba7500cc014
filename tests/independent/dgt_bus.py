# SPDX-License-Identifier: GPL-3.0-or-later
"""A host's conversation with several boards that share one line (bus mode)."""

import time
from collections import Counter, deque

import dgt_messages as msg

# Host commands on the bus (protocol: bus mode).
SEND_CLK, SEND_BRD, SEND_CHANGES, REPEAT_CHANGES = 0x81, 0x82, 0x83, 0x84
SET_START_GAME, SEND_FROM_START, PING, END_BUSMODE = 0x85, 0x86, 0x87, 0x88
BUS_RESET, IGNORE_NEXT_BUS_PING, SEND_VERSION = 0x89, 0x8A, 0x8B

REPLIES = {
    SEND_CLK: msg.BUS_CLOCK, SEND_BRD: msg.BUS_DUMP, SEND_CHANGES: msg.BUS_CHANGES,
    REPEAT_CHANGES: msg.BUS_CHANGES, SET_START_GAME: msg.BUS_START_SET,
    SEND_FROM_START: msg.BUS_FROM_START, PING: msg.BUS_PING,
    IGNORE_NEXT_BUS_PING: msg.BUS_PING, SEND_VERSION: msg.BUS_VERSION,
}
EVERYBODY = 0

PLANNED_TIMEOUT = 0.08   # a board should have begun its answer by now
TIMEOUT = 0.25           # but a loaded machine gets more before the command is sent again
PING_WINDOW = 1.2
SILENCE = 0.02
POLL_CYCLE = 0.5
SETTLED = 0.6


class BusBoard:
    """What is known of one board on the bus."""

    def __init__(self, address):
        self.address = address
        self.position = msg.Position()
        self.last_changes = b""
        self.last_field = 0.0
        self.must_resync = True
        self.silent_polls = 0


class BusSession:
    """Finds boards, polls them, judges their answers."""

    def __init__(self, port, reporter, until=None):
        self.port = port
        self.reporter = reporter
        self.boards = {}
        self.goal_reached = False
        self.late_answers = 0
        self._until = until
        self._framer = msg.Framer(bus=True)
        self._items = deque()
        self._tolerated = Counter()   # (id, address) of answers that may come twice

    # ------------------------------------------------------------ line

    def _receive(self, timeout):
        """Read once; True when bytes came."""
        data = self.port.read(timeout)
        self._items.extend(self._framer.feed(data))
        return bool(data)

    def _flush(self):
        self._items.extend(self._framer.flush())

    def forget_input(self):
        """Throw away everything received: after a collision or another mode."""
        self._framer = msg.Framer(bus=True)
        self._items.clear()

    def idle(self, seconds):
        """Wait without asking; whatever comes now was not asked for."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._receive(left)
            self._report_unasked()

    def _report_unasked(self):
        while self._items:
            self._judge_unasked(self._items.popleft())

    def _judge_unasked(self, item):
        if not isinstance(item, msg.BusFrame):
            self._report_strange(item)
        elif not item.checksum_ok:
            self._report_checksum(item)
        elif self._tolerated[item.id, item.address]:
            self._tolerated[item.id, item.address] -= 1
        else:
            self.reporter.violation(f"unsolicited message {item.id:02x} on the bus", item.address)

    def _report_checksum(self, frame):
        self.reporter.violation(f"checksum of message {frame.id:02x}", frame.address)

    def _report_strange(self, item):
        if isinstance(item, msg.Noise):
            self.reporter.emit({"event": "noise", "bytes": len(item.data), "reason": item.reason,
                                "data": item.data[:40].hex(" ")})
        elif isinstance(item, msg.Broken):
            self.reporter.violation(item.what, data=item.data[:40].hex(" "))
        else:
            self.reporter.violation(f"single-mode message {item.id:02x} in bus mode")

    # ------------------------------------------------------------ one command

    def send(self, command, address):
        """Send a command that has no answer, or whose answer is collected elsewhere."""
        self._receive(0)
        self._report_unasked()
        self.port.write(msg.bus_command(command, address))

    def transact(self, command, address, timeout=TIMEOUT):
        """Send a command once; return its good answer or None after a silence."""
        self.send(command, address)
        sent = time.monotonic()
        first_byte = None
        end = sent + timeout
        while (left := end - time.monotonic()) > 0:
            if self._receive(left):
                first_byte = first_byte or time.monotonic()
                end = max(end, time.monotonic() + TIMEOUT)
            frame = self._take_answer(REPLIES[command], address)
            if frame:
                self.late_answers += first_byte - sent > PLANNED_TIMEOUT
                return frame
        self._flush()
        return self._take_answer(REPLIES[command], address)

    def _take_answer(self, ident, address):
        while self._items:
            item = self._items.popleft()
            if not isinstance(item, msg.BusFrame):
                self._report_strange(item)
            elif not item.checksum_ok:
                self._report_checksum(item)
            elif item.address != address:
                self.reporter.violation(f"board {item.address} answered a command to {address}", item.address)
            elif item.id != ident:
                if not self._tolerated[item.id, item.address]:
                    self.reporter.violation(f"message {item.id:02x} instead of {ident:02x}", address)
            else:
                return item
        return None

    def exchange(self, command, address, tries=3):
        """Send a command until it is answered; a lost packet of changes is asked for again."""
        for _ in range(tries):
            frame = self.transact(command, address)
            if frame:
                return frame
            self._tolerated[REPLIES[command], address] = 1
            if command == SEND_CHANGES:
                command = REPEAT_CHANGES
                if address in self.boards:
                    self.boards[address].must_resync = True
        return None

    # ------------------------------------------------------------ discovery

    def find(self, addresses):
        """Ping boards whose addresses are known."""
        for address in addresses:
            if self.exchange(PING, address):
                self._add(address)
            else:
                self.reporter.emit({"event": "unanswered", "command": "87"}, address)
        return len(self.boards) == len(set(addresses))

    def discover(self):
        """Find all boards: silence those found, ping everybody, until two empty rounds."""
        empty = 0
        for _ in range(25):
            found_before = set(self.boards)
            for address in found_before:
                self.exchange(IGNORE_NEXT_BUS_PING, address)
            answers, garbage = self.ping_everybody()
            self._judge_round(answers, found_before)
            empty = 0 if answers or garbage else empty + 1
            if empty == 2:
                break
        return bool(self.boards)

    def _judge_round(self, answers, found_before):
        for address, times in Counter(answers).items():
            if times > 1:
                self.reporter.violation("two boards have the same address, or one answered twice", address)
            if address in found_before:
                self.reporter.violation("answered a ping it was told to ignore", address)
            elif self.exchange(PING, address):
                self._add(address)
            else:
                self.reporter.emit({"event": "noise", "bytes": 6, "reason": "collision looked like an address"})

    def _add(self, address):
        self.boards[address] = BusBoard(address)
        self.reporter.emit({"event": "board", "found": True}, address)

    def ping_everybody(self):
        """Ping address 0; return the addresses that answered and the count of garbage."""
        self.send(PING, EVERYBODY)
        end = time.monotonic() + PING_WINDOW
        answers, garbage = [], 0
        while time.monotonic() < end:
            if not self._receive(SILENCE):
                self._flush()
            while self._items:
                item = self._items.popleft()
                if isinstance(item, msg.BusFrame) and item.id == msg.BUS_PING and item.checksum_ok:
                    answers.append(item.address)
                else:
                    garbage += 1
                    self._wait_for_silence()
        if garbage:
            self.reporter.emit({"event": "collision", "count": garbage})
        return answers, garbage

    def _wait_for_silence(self):
        self.forget_input()
        while self.port.read(SILENCE):
            pass

    # ------------------------------------------------------------ what boards say

    def report(self, events, address):
        """Print the events of one answer."""
        for event in events:
            self.reporter.emit(event, address)

    def read_version(self, board):
        """Ask a board's version; the oldest ones answer without numbers."""
        frame = self.exchange(SEND_VERSION, board.address)
        if frame and frame.data:
            self.report(msg.decode_version(frame.data), board.address)
        elif frame:
            self.reporter.emit({"event": "version", "main": None, "sub": None}, board.address)
        return frame

    def read_clock(self, board):
        """Ask a board's clock times."""
        frame = self.exchange(SEND_CLK, board.address)
        if frame:
            self.report(msg.decode_clock(frame.data), board.address)
        return frame

    def read_dump(self, board):
        """Ask for a whole board; report it without touching the model."""
        frame = self.exchange(SEND_BRD, board.address)
        if frame:
            self.report(msg.decode_dump(frame.data), board.address)
        return frame

    def read_changes(self, board):
        """Fetch what happened since the last time, into the model."""
        frame = self.exchange(SEND_CHANGES, board.address)
        if frame:
            board.last_changes = frame.data
            self.apply_changes(board, frame.data)
        return frame

    def apply_changes(self, board, data):
        """Report a packet of records and follow it in the model."""
        if not data:
            return
        events = msg.decode_bus_log("changes", data)
        self.report(events, board.address)
        for record in events[0]["records"]:
            if record["record"] == "piece":
                self._apply_piece(board, record)
            elif record["record"] in ("powerup", "watchdog"):
                board.must_resync = True

    def _apply_piece(self, board, record):
        """Follow one record; those that repeat what is known are no changes."""
        square, code = record["raw"], msg.PIECES.index(record["piece"])
        if board.position.squares is None or board.position.squares[square] == code:
            return
        board.position.put(square, code)
        board.last_field = time.monotonic()
        self.reporter.emit({"event": "field", "square": record["square"], "piece": record["piece"],
                            "raw": square, "from_log": True}, board.address)
        self._check_goal(board)

    def _check_goal(self, board):
        if self._until and not self.goal_reached and board.position.placement() == self._until:
            self.goal_reached = True
            self.reporter.emit({"event": "goal", "placement": self._until}, board.address)

    def resync(self, board):
        """Take a dump as the new baseline, after fetching what is still due."""
        self.read_changes(board)
        frame = self.read_dump(board)
        if frame:
            board.position.adopt(frame.data)
            board.must_resync = False
            self._check_goal(board)
        return frame

    def verify_position(self, board):
        """Compare a dump with the model once no square changes; ask again before complaining."""
        differs = []
        for _ in range(2):
            if board.must_resync or time.monotonic() - board.last_field < SETTLED:
                return
            frame = self.read_dump(board)
            if not frame:
                return
            differs = board.position.differences(frame.data)
            if not differs:
                return
            self.idle(SETTLED)
            self.read_changes(board)
            if not board.position.differences(frame.data):
                return
        self.reporter.violation("the dump contradicts the changes", board.address, squares=differs)
        self.resync(board)

    # ------------------------------------------------------------ the whole conversation

    def start(self, addresses):
        """Find the boards and take their first dumps; False when one is missing."""
        self.port.discard(0.5)
        complete = self.find(addresses) if addresses else self.discover()
        for board in self.boards.values():
            self.read_version(board)
            self.resync(board)
            self.read_clock(board)
        return complete

    def listen(self, seconds, idle_dump=None):
        """Poll changes and clocks until the goal or the end; False when a board is lost."""
        end = time.monotonic() + seconds
        next_dump = time.monotonic() + (idle_dump or 0)
        while not self.goal_reached and time.monotonic() < end:
            cycle_end = time.monotonic() + POLL_CYCLE
            for board in self.boards.values():
                self._poll(board)
                if board.silent_polls == 3:
                    self.reporter.emit({"event": "lost", "reason": "no answer to three polls"}, board.address)
                    return False
            if idle_dump and time.monotonic() >= next_dump:
                for board in self.boards.values():
                    self.verify_position(board)
                next_dump = time.monotonic() + idle_dump
            self.idle(max(0.0, min(cycle_end, end) - time.monotonic()))
        return True

    def _poll(self, board):
        changes = self.resync(board) if board.must_resync else self.read_changes(board)
        clock = self.read_clock(board)
        board.silent_polls = 0 if changes or clock else board.silent_polls + 1
