#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A chess board with a clock that answers a host, as a stand-in for a real one.

Makes a pseudo terminal and prints {"pty": "/dev/pts/N"}.  Then each line on stdin is
what hands do, answered by {"done": line} or {"error": text}:

  lift e2 | place e4 P | fen PLACEMENT | press left|right | start | stop
  times H:MM:SS H:MM:SS (left right) | plug clock | unplug clock
  battery low|good (of the clock) | noise HEX | state | quit

Lines with "danger" or "dropped" tell what a host did wrong.  The identification text
is the program's own.  Bus mode is known just far enough to enter and leave it.
"""

import argparse
import json
import os
import pty
import select
import signal
import sys
import time
import tty
from collections import deque

from dgt_board_clock import Clock, HandError, ack_payload, bcd_time, parse_time

LINE_RATE = 960.0          # bytes a second at 9600 8N1
CLOCK_INTERVAL = 0.1       # how often the board looks at its clock
FRAME_TIMEOUT = 0.5        # an unfinished command is forgotten after this silence
LOG_SIZE = 0x1F00
QUICK = 0.25
PIECES = ".PRNBKQprnbkqXYZ"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
IDENTITY = b"independent test board\nmade of software\n"
DANGEROUS = {0x4E, 0x50, 0x51, 0x52, 0x53, 0x54, 0x60}

IDLE, UPDATE, UPDATE_BRD, UPDATE_NICE, BUS = "IDLE", "UPDATE", "UPDATE_BRD", "UPDATE_NICE", "BUS"
MODES = {0x40: IDLE, 0x43: UPDATE, 0x44: UPDATE_BRD, 0x4B: UPDATE_NICE, 0x4A: BUS}
ACK_MODES = (UPDATE, UPDATE_NICE)

LOG_POWERUP, LOG_EOF, LOG_EMPTY, LOG_DUMPED, LOG_BEGIN = 0x6A, 0x6B, 0x6D, 0x6E, 0x6F


def report(**line):
    """Print one line of the program's own."""
    print(json.dumps(line), flush=True)


# ---------------------------------------------------------------- squares

def square_number(name):
    """a8 is 0, h1 is 63."""
    if len(name) != 2 or name[0] not in "abcdefgh" or name[1] not in "12345678":
        raise HandError(f"no square: {name}")
    return (8 - int(name[1])) * 8 + "abcdefgh".index(name[0])


def parse_placement(text):
    """64 piece codes of a FEN placement field."""
    squares = []
    for char in text.replace("/", ""):
        if char in "12345678":
            squares += [0] * int(char)
        elif char in PIECES[1:]:
            squares.append(PIECES.index(char))
        else:
            raise HandError(f"no piece: {char}")
    if len(squares) != 64:
        raise HandError(f"{len(squares)} squares")
    return squares


def format_placement(squares):
    """FEN placement field of 64 codes."""
    rows = ["".join(PIECES[code] for code in squares[at:at + 8]) for at in range(0, 64, 8)]
    text = "/".join(rows)
    for count in range(8, 0, -1):
        text = text.replace("." * count, str(count))
    return text


def message(ident, payload):
    """A board message: id, length in two halves, payload."""
    length = len(payload) + 3
    return bytes([ident, length >> 7, length & 0x7F]) + bytes(payload)


def checksum(data):
    """The sum that closes a frame on the bus."""
    return sum(data) & 0x7F


# ---------------------------------------------------------------- the log

class Log:
    """The ring of records that a board keeps in its memory."""

    def __init__(self, squares):
        self._records = deque([b"\x7f", b"\x7f", b"\x7f", bytes([LOG_POWERUP])])
        self._size = 4
        self._last_piece = 0.0
        for square, code in enumerate(squares):
            if code:
                self._add(bytes([0x40 | code, square]))

    def _add(self, record):
        self._records.append(record)
        self._size += len(record)
        while self._size >= LOG_SIZE:
            self._size -= len(self._records.popleft())

    def piece(self, square, code):
        """A changed square."""
        now = time.monotonic()
        quick = 0x10 if now - self._last_piece < QUICK else 0
        self._last_piece = now
        self._add(bytes([0x40 | quick | code, square]))

    def position(self, squares):
        """A tag for a position that has one."""
        if format_placement(squares) == START:
            self._add(bytes([LOG_BEGIN]))
        elif not any(squares):
            self._add(bytes([LOG_EMPTY]))

    def lever(self, side, seconds):
        """The time of the side that has been stopped."""
        hours, minutes, rest = bcd_time(seconds)
        self._add(bytes([(0x70 if side == "left" else 0x60) | hours, minutes, rest]))

    def dump(self):
        """The whole ring, oldest first, closed by EOF; this leaves a mark."""
        data = b"".join(self._records) + bytes([LOG_EOF])
        self._add(bytes([LOG_DUMPED]))
        return b"\x7f" * (LOG_SIZE - len(data)) + data


# ---------------------------------------------------------------- the line

class Line:
    """The master side of a pseudo terminal, at the speed of a serial line."""

    def __init__(self, link):
        self.fd, self._slave = pty.openpty()   # the slave stays open, or reads would fail without a host
        tty.setraw(self._slave)
        os.set_blocking(self.fd, False)
        self.name = os.ttyname(self._slave)
        self._queue = bytearray()
        self._paid_until = 0.0
        self._link = link
        if link:
            if os.path.islink(link):
                os.unlink(link)
            os.symlink(self.name, link)

    def close(self):
        """Remove the link, if it is still ours."""
        if self._link and os.path.islink(self._link) and os.readlink(self._link) == self.name:
            os.unlink(self._link)

    @property
    def busy(self):
        """Whether bytes wait to be sent."""
        return bool(self._queue)

    def queue(self, data):
        """Send as fast as the line allows."""
        if not self._queue:
            self._paid_until = time.monotonic()
        self._queue += data

    def transmit(self):
        """Hand over the bytes that have had their time; nobody listening loses them."""
        due = int((time.monotonic() - self._paid_until) * LINE_RATE)
        chunk = bytes(self._queue[:max(0, due)])
        if not chunk:
            return
        self._paid_until += len(chunk) / LINE_RATE
        del self._queue[:len(chunk)]
        try:
            os.write(self.fd, chunk)
        except (BlockingIOError, OSError):
            pass

    def receive(self):
        """Bytes from the host."""
        try:
            return os.read(self.fd, 4096)
        except (BlockingIOError, OSError):
            return b""


# ---------------------------------------------------------------- the board

class Board:
    """Squares, modes, answers."""

    def __init__(self, options, line, clock):
        self.line = line
        self.clock = clock
        self.options = options
        self.actual = parse_placement(options.fen)
        self.scanned = list(self.actual)
        self.mode = BUS if options.start == "bus" else IDLE
        self.log = Log(self.scanned)
        self._input = bytearray()      # bytes nobody has looked at yet
        self._command = bytearray()    # the command being put together
        self._last_input = 0.0
        self._next_scan = self._next_clock = time.monotonic()
        self._acks = deque()           # (due time, clock payload)
        self._sent_clock = None
        self._sent_clock_at = 0.0
        self._answers = self._make_answers()

    # ------------------------------------------------------------ time

    def next_event(self):
        """Seconds until something is due."""
        due = [self._next_scan, self._next_clock] + [when for when, _ in self._acks]
        wait = max(0.0, min(due) - time.monotonic())
        return min(wait, 0.01) if self.line.busy else wait

    def work(self):
        """Do what is due."""
        now = time.monotonic()
        self.line.transmit()
        self._read_input()
        if now >= self._next_scan:
            self._next_scan = now + self.options.scan_ms / 1000
            self._scan()
        if now >= self._next_clock:
            self._next_clock = now + CLOCK_INTERVAL
            self._watch_clock(now)
        while self._acks and self._acks[0][0] <= now:
            _, payload = self._acks.popleft()
            if self.mode in ACK_MODES:
                self.line.queue(message(0x8D, payload))

    def _scan(self):
        changed = [square for square in range(64) if self.actual[square] != self.scanned[square]]
        for square in changed:
            code = self.scanned[square] = self.actual[square]
            self.log.piece(square, code)
            if self.mode in (UPDATE, UPDATE_BRD, UPDATE_NICE):
                self.line.queue(message(0x8E, [square, code]))
        if changed:
            self.log.position(self.scanned)

    def _watch_clock(self, now):
        self.clock.advance()
        if self.mode not in ACK_MODES:
            return
        due = self.mode == UPDATE and now - self._sent_clock_at >= 1.0 - CLOCK_INTERVAL
        if due or self.clock.payload() != self._sent_clock:
            self._send_clock()

    def _send_clock(self):
        self._sent_clock = self.clock.payload()
        self._sent_clock_at = time.monotonic()
        self.line.queue(message(0x8D, self._sent_clock))

    # ------------------------------------------------------------ commands of the host

    def receive(self, data):
        """Take bytes into the input buffer, which may be a small one."""
        for byte in data:
            self._last_input = time.monotonic()
            if self.options.input_limit and len(self._input) >= self.options.input_limit:
                report(dropped=f"{byte:02x}")
                continue
            self._input.append(byte)
            self._read_input()

    def _read_input(self):
        """Put commands together and obey them, but not while an answer is being sent."""
        if self._command and time.monotonic() - self._last_input > FRAME_TIMEOUT:
            report(dropped=self._command.hex(" "))
            self._command.clear()
        while self._input and not self.line.busy:
            self._command.append(self._input.pop(0))
            if len(self._command) >= self._command_size():
                command = bytes(self._command)
                self._command.clear()
                self._obey(command)

    def _command_size(self):
        first = self._command[0]
        if first == 0x2B:
            return 2 + self._command[1] if len(self._command) > 1 else 2
        return 4 if 0x81 <= first <= 0x8D else 1

    def _obey(self, command):
        first = command[0]
        if first >= 0x81:
            self._bus_command(command)
            return
        if self.mode == BUS and (first in MODES or first in self._answers or first == 0x2B):
            self.mode = IDLE
        if first in DANGEROUS:
            report(danger=f"{first:02x}")
        elif first == 0x2B:
            self._clock_command(command)
        elif first in MODES:
            self._set_mode(MODES[first])
        elif first in self._answers:
            self._answers[first]()

    def _set_mode(self, mode):
        self.mode = mode
        self._acks.clear()
        self._sent_clock = self.clock.payload()
        if mode == UPDATE:
            self._send_clock()

    def _make_answers(self):
        number = int(self.options.serial)
        answers = {
            0x41: self._send_clock,
            0x42: lambda: self._answer(0x86, self.scanned),
            0x45: lambda: self._answer(0x91, self.options.serial.encode()),
            0x46: lambda: self._answer(0x90, [number >> 7 & 0x7F, number & 0x7F]),
            0x47: lambda: self._answer(0x92, IDENTITY),
            0x49: lambda: self._answer(0x8F, self.log.dump()),
            0x4D: lambda: self._answer(0x93, [3, 1]),
        }
        if self.options.battery != "none":
            percent = int(self.options.battery)
            answers[0x4C] = lambda: self._answer(0xA0, [percent, 0x7F, 0x7F, 0, 0, 0, 0, 0, 2])
        if self.options.long != "none":
            answers[0x55] = lambda: self._answer(0xA2, self.options.long.encode())
        return answers

    def _answer(self, ident, payload):
        self.line.queue(message(ident, payload))

    def _bus_command(self, command):
        """Just enough of bus mode to come back from it."""
        if self.mode != BUS:
            self.mode = BUS    # the command that switches is itself lost
            return
        number = int(self.options.serial) & 0x3FFF
        address = command[1] << 7 | command[2]
        if checksum(command[:3]) != command[3] or address not in (number, 0):
            return
        if command[0] == 0x88:
            self.mode = IDLE
        elif command[0] == 0x87:
            self._bus_answer(0x87, number, b"")
        elif command[0] == 0x81 and address:
            self._bus_answer(0x84, number, self.clock.payload())
        elif command[0] == 0x82 and address:
            self._bus_answer(0x83, number, bytes(self.scanned))
        elif command[0] == 0x8B and address:
            self._bus_answer(0x89, number, bytes([3, 1]))

    def _bus_answer(self, ident, number, data):
        length = len(data) + 6
        frame = bytes([ident, length >> 7, length & 0x7F, number >> 7, number & 0x7F]) + data
        self.line.queue(frame + bytes([checksum(frame)]))

    def _clock_command(self, command):
        """A frame 2b size 03 command arguments 00."""
        if not self.clock.plugged or len(command) < 5 or command[2] != 0x03 or command[-1] != 0:
            return
        code, arguments = command[3], command[4:-1]
        lengths = {0x01: 8, 0x02: 8, 0x03: 0, 0x08: 0, 0x09: 0, 0x0A: 7, 0x0B: 1, 0x0C: 9}
        if lengths.get(code) != len(arguments):
            report(danger=command.hex(" "))
            return
        ack = [0x10, code, 0, 0]
        if code == 0x09:
            ack[2] = 0x22
        elif code == 0x0A and not self.clock.set_and_run(arguments):
            ack[0] = 0x40
        elif code == 0x0C:
            report(text=arguments[:8].decode("ascii", "replace"))
        if self.mode in ACK_MODES:
            self._acks.append((time.monotonic() + self.options.ack_ms / 1000, ack_payload(ack)))

    # ------------------------------------------------------------ hands

    def hands(self, line):
        """Do what a line says; returns more fields for the answer, or None."""
        verb, *words = line.split()
        actions = {"lift": self._lift, "place": self._place, "fen": self._fen, "press": self._press,
                   "start": self.clock.start, "stop": self.clock.stop, "times": self._times,
                   "plug": self._plug, "unplug": self._unplug, "battery": self._battery,
                   "noise": self._noise, "state": self._state}
        if verb not in actions:
            raise HandError(f"unknown: {verb}")
        try:
            return actions[verb](*words)
        except TypeError:
            raise HandError(f"wrong number of words: {line}") from None

    def _lift(self, square):
        self.actual[square_number(square)] = 0

    def _place(self, square, piece):
        if piece not in PIECES[1:] or len(piece) != 1:
            raise HandError(f"no piece: {piece}")
        self.actual[square_number(square)] = PIECES.index(piece)

    def _fen(self, text):
        self.actual = parse_placement(text)

    def _press(self, side):
        if side not in ("left", "right"):
            raise HandError(f"no side: {side}")
        if self.clock.press(side) and self.clock.plugged:
            self.log.lever(side, self.clock.seconds(side))

    def _times(self, left, right):
        self.clock.set_times(parse_time(left), parse_time(right))

    def _plug(self, what):
        self._set_plugged(what, True)

    def _unplug(self, what):
        self._set_plugged(what, False)

    def _set_plugged(self, what, plugged):
        if what != "clock":
            raise HandError(f"unknown: {what}")
        self.clock.plugged = plugged
        self._acks.clear()

    def _battery(self, state):
        self.clock.battery_low = state == "low"

    def _noise(self, *words):
        try:
            self.line.queue(bytes.fromhex(" ".join(words)))
        except ValueError:
            raise HandError(f"no hexadecimal bytes: {' '.join(words)}") from None

    def _state(self):
        return {"placement": format_placement(self.actual), "mode": self.mode,
                "left": self.clock.seconds("left"), "right": self.clock.seconds("right")}


# ---------------------------------------------------------------- the program

class Hands:
    """Lines from stdin."""

    def __init__(self, stay):
        self.fd = sys.stdin.fileno()
        self.open = True
        self._stay = stay
        self._text = b""

    def lines(self):
        """Complete lines; at the end of the input 'quit', unless the board shall stay."""
        data = os.read(self.fd, 4096)
        if not data:
            self.open = False
            return [] if self._stay else ["quit"]
        *lines, self._text = (self._text + data).split(b"\n")
        return [line.decode("utf-8", "replace").strip() for line in lines if line.strip()]


def obey_hands(board, lines):
    """Answer each line; False when the last wish was to quit."""
    for line in lines:
        if line == "quit":
            report(done=line)
            return False
        try:
            report(done=line, **(board.hands(line) or {}))
        except HandError as error:
            report(error=str(error))
    return True


def serve(board, hands):
    """Wait for the host, the hands and the time."""
    while True:
        watched = [board.line.fd] + ([hands.fd] if hands.open else [])
        ready, _, _ = select.select(watched, [], [], board.next_event())
        if board.line.fd in ready:
            board.receive(board.line.receive())
        if hands.fd in ready and not obey_hands(board, hands.lines()):
            return
        board.work()


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--link", metavar="PATH", help="symbolic link to the pseudo terminal")
    parser.add_argument("--serial", default="01025", help="five digits")
    parser.add_argument("--long", default="3000147740", help="ten characters, or none")
    parser.add_argument("--battery", default="100", help="percent, or none for a board without one")
    parser.add_argument("--scan-ms", type=int, default=250)
    parser.add_argument("--ack-ms", type=int, default=200, help="delay of the clock's acks")
    parser.add_argument("--clock", default="5400,5400", help="left,right seconds, or none")
    parser.add_argument("--increment", type=int, default=30)
    parser.add_argument("--option", choices=["normal", "25"], default="normal")
    parser.add_argument("--fen", default=START, help="placement at the beginning")
    parser.add_argument("--start", choices=["idle", "bus"], default="idle", help="mode at the beginning")
    parser.add_argument("--input-limit", type=int, default=0, metavar="BYTES", help="size of the input buffer (10)")
    parser.add_argument("--stay", action="store_true", help="do not quit at the end of stdin")
    options = parser.parse_args()
    if len(options.serial) != 5 or not options.serial.isdigit():
        parser.error("a serial number has five digits")
    if options.long != "none" and len(options.long) != 10:
        parser.error("a long serial number has ten characters")
    return options


def make_clock(options):
    """The clock of the command line; none is one that is not plugged in."""
    left, right = (0, 0) if options.clock == "none" else map(int, options.clock.split(","))
    clock = Clock(left, right, options.increment, options.option)
    clock.plugged = options.clock != "none"
    return clock


def main():
    """Make the board and serve until told to quit."""
    options = parse_arguments()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    line = Line(options.link)
    try:
        board = Board(options, line, make_clock(options))
        report(pty=line.name)
        serve(board, Hands(options.stay))
    finally:
        line.close()


if __name__ == "__main__":
    main()
