# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of a DGT board: framing, decoding and the host's command frames.

Pure functions and byte-fed framers, no input or output.  Every decoder gives a
list of event dictionaries, ready to be printed as JSON.
"""

from typing import NamedTuple

# Ids of board messages in single mode (protocol: board to host messages).
NONE, DUMP, CLOCK, FIELD, EE_MOVES = 0x80, 0x86, 0x8D, 0x8E, 0x8F
BUSADDRESS, SERIAL, TRADEMARK, VERSION = 0x90, 0x91, 0x92, 0x93
DUMP_50B, DUMP_50W, BATTERY, LONG_SERIAL = 0x94, 0x95, 0xA0, 0xA2

# Ids of board messages in bus mode (protocol: bus mode).
BUS_DUMP, BUS_CLOCK, BUS_CHANGES, BUS_FROM_START = 0x83, 0x84, 0x85, 0x86
BUS_PING, BUS_START_SET, BUS_VERSION, BUS_DUMP_50B = 0x87, 0x88, 0x89, 0x8A

# Total lengths allowed for each id, header included.
SINGLE_LENGTHS = {
    DUMP: {67}, CLOCK: {10}, FIELD: {5}, EE_MOVES: {0x1F00 + 3}, BUSADDRESS: {5},
    SERIAL: range(8, 13), TRADEMARK: range(3, 260), VERSION: {5}, DUMP_50B: {53},
    DUMP_50W: {53}, BATTERY: {12}, LONG_SERIAL: {13},
}
BUS_LENGTHS = {
    BUS_DUMP: {70}, BUS_CLOCK: {13}, BUS_CHANGES: range(6, 0x4000),
    BUS_FROM_START: range(6, 0x4000), BUS_PING: {6}, BUS_START_SET: {6},
    BUS_VERSION: {6, 8}, BUS_DUMP_50B: {56},
}
HIGHEST_LENGTH_BYTE = 0x3E

PIECES = ".PRNBKQprnbkqXYZ"  # X, Y, Z: the magic pieces draw, White wins, Black wins
RESULTS = {13: "draw", 14: "white_wins", 15: "black_wins"}
START_PLACEMENT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


# ---------------------------------------------------------------- framing

class Frame(NamedTuple):
    """A complete single-mode message of a known id; the payload has no header."""
    id: int
    payload: bytes


class BusFrame(NamedTuple):
    """A complete bus-mode message; the data has neither address nor checksum."""
    id: int
    address: int
    data: bytes
    checksum_ok: bool


class Foreign(NamedTuple):
    """A complete message that belongs to the other mode."""
    id: int
    raw: bytes


class Noise(NamedTuple):
    """Bytes that are no message: junk, cut messages, unknown ids."""
    data: bytes
    reason: str


class Broken(NamedTuple):
    """Bytes that break the protocol, not only the line."""
    data: bytes
    what: str


class Framer:
    """Cuts a byte stream into messages; any byte with bit 7 set starts a new one."""

    def __init__(self, bus=False):
        self._bus = bus
        self._own = BUS_LENGTHS if bus else SINGLE_LENGTHS
        self._other = SINGLE_LENGTHS if bus else BUS_LENGTHS
        self._message = bytearray()
        self._junk = bytearray()
        self._items = []

    def feed(self, data):
        """Take received bytes and return what they complete, in order."""
        for byte in data:
            if byte & 0x80:
                self._start(byte)
            elif self._message:
                self._extend(byte)
            else:
                self._junk.append(byte)
        return self._take()

    def flush(self):
        """Give up an unfinished message: the line has been silent too long."""
        if self._message:
            self._drop(Noise(bytes(self._message), f"unfinished message {self._message[0]:02x}"))
        self._end_junk()
        return self._take()

    def _take(self):
        items, self._items = self._items, []
        return items

    def _end_junk(self):
        if self._junk:
            self._items.append(Noise(bytes(self._junk), "junk between messages"))
            self._junk.clear()

    def _drop(self, item):
        self._items.append(item)
        self._message.clear()

    def _is_known(self, ident):
        return ident == NONE or ident in self._own or ident in self._other

    def _start(self, byte):
        self._end_junk()
        if self._message:
            cut = bytes(self._message)
            if self._is_known(byte):
                self._drop(Noise(cut, f"unfinished message {cut[0]:02x}"))
            else:
                self._drop(Broken(cut, f"byte {byte:02x} has bit 7 set inside message {cut[0]:02x}"))
        self._message.append(byte)

    def _extend(self, byte):
        message = self._message
        message.append(byte)
        if len(message) == 2 and byte > HIGHEST_LENGTH_BYTE and message[0] not in self._own:
            self._drop(Noise(bytes(message), f"impossible length of message {message[0]:02x}"))
        elif len(message) == 3:
            self._check_header()
        if len(message) >= 3 and len(message) == self._length():
            self._complete()

    def _length(self):
        return self._message[1] << 7 | self._message[2]

    def _check_header(self):
        ident, length = self._message[0], self._length()
        raw = bytes(self._message)
        if ident in self._own:
            if length not in self._own[ident]:
                hint = " (draughts board?)" if (ident, length) == (DUMP, 103) else ""
                self._drop(Broken(raw, f"length {length} for message {ident:02x}{hint}"))
        elif length < 3:
            self._drop(Noise(raw, f"unknown message {ident:02x} of length {length}"))

    def _complete(self):
        raw = bytes(self._message)
        self._drop(self._build(raw))

    def _build(self, raw):
        ident = raw[0]
        if ident in self._own:
            return parse_bus_frame(raw) if self._bus else Frame(ident, raw[3:])
        if ident in self._other and len(raw) in self._other[ident]:
            return Foreign(ident, raw)
        return Noise(raw, f"unknown message {ident:02x} of length {len(raw)}")


def parse_bus_frame(raw):
    """Split a complete bus message of sufficient length and check its sum."""
    return BusFrame(raw[0], raw[3] << 7 | raw[4], raw[5:-1], checksum(raw[:-1]) == raw[-1])


def checksum(data):
    """The sum that closes each bus frame."""
    return sum(data) & 0x7F


# ---------------------------------------------------------------- the host's frames

def bus_command(command, address):
    """A bus command frame: command, address in two halves, checksum."""
    body = bytes([command, address >> 7 & 0x7F, address & 0x7F])
    return body + bytes([checksum(body)])


def clock_message(command, arguments=b""):
    """A clock command frame, closed by 00; the size counts all bytes after itself."""
    body = bytes([0x03, command]) + bytes(arguments) + b"\x00"
    return bytes([0x2B, len(body)]) + body


def set_and_run(left, right, flags):
    """Arguments of SETNRUN: plain binary, left first."""
    return bytes(split_time(left) + split_time(right)) + bytes([flags])


def split_time(seconds):
    """Hours, minutes, seconds of a number of seconds."""
    return (seconds // 3600, seconds // 60 % 60, seconds % 60)


# ---------------------------------------------------------------- squares and pieces

def square_name(square):
    """Name of a square number: a8 is 0, h1 is 63."""
    return "abcdefgh"[square % 8] + str(8 - square // 8)


def placement(squares):
    """FEN placement field of 64 piece codes; X, Y, Z stand for magic pieces."""
    ranks = []
    for first in range(0, 64, 8):
        text, empty = "", 0
        for code in squares[first:first + 8]:
            if code == 0:
                empty += 1
                continue
            text += (str(empty) if empty else "") + PIECES[code]
            empty = 0
        ranks.append(text + (str(empty) if empty else ""))
    return "/".join(ranks)


def start_kind(squares):
    """Say whether the initial position stands normal or turned round."""
    if placement(squares) == START_PLACEMENT:
        return "normal"
    return "rotated" if placement(squares[::-1]) == START_PLACEMENT else None


def violation(what, **more):
    """An event that reports a breach of the protocol."""
    return {"event": "violation", "what": what, **more}


# ---------------------------------------------------------------- single messages

def decode(frame):
    """Events of a single-mode message."""
    return _DECODERS[frame.id](frame.payload)


def decode_dump(payload):
    """A whole board of 64 codes."""
    squares = [byte & 0x0F for byte in payload]
    event = {"event": "dump", "placement": placement(squares), "start": start_kind(squares)}
    high = sum(1 for byte in payload if byte > 0x0F)
    if high:
        event["high_bits"] = high
    return [event]


def decode_field(payload):
    """One changed square."""
    square, code = payload[0], payload[1] & 0x0F
    if square > 63:
        return [violation(f"square byte {square:02x} in a field update")]
    event = {"event": "field", "square": square_name(square), "piece": PIECES[code], "raw": square}
    if payload[1] > 0x0F:
        event["high_bits"] = payload[1] & 0x70
    events = [event]
    if code in RESULTS:
        events.append({"event": "result", "result": RESULTS[code], "square": square_name(square)})
    return events


def decode_version(payload):
    """Version as two integers, never a fraction."""
    return [{"event": "version", "main": payload[0], "sub": payload[1]}]


def decode_busaddress(payload):
    """Address of the board on a bus."""
    return [{"event": "busaddress", "busaddress": payload[0] << 7 | payload[1]}]


def decode_serial(payload):
    """Five digits; old boards add the storage version."""
    text = payload.decode("ascii")
    events = [{"event": "serial", "serial": text[:5]}]
    if len(text) > 5:
        events[0]["rest"] = text[5:]
    return events + check_digits("serial number", text[:5])


def check_digits(what, text):
    """A violation unless the text is made of digits."""
    return [] if text.isdigit() else [violation(f"{what} {text!r} is not made of digits")]


def decode_long_serial(payload):
    """Ten characters, not all of them digits on every board."""
    text = payload.decode("ascii")
    events = [{"event": "long_serial", "long_serial": text}]
    return events if text.isprintable() else events + [violation("long serial number is not printable")]


def decode_trademark(payload):
    """Free identification text."""
    return [{"event": "trademark", "text": payload.decode("ascii")}]


def decode_battery(payload):
    """Battery state; 7f stands for not available."""
    percent, hours, minutes, on_hours, on_minutes, days, by_hours, by_minutes, status = (
        None if byte == 0x7F and place != 8 else byte for place, byte in enumerate(payload))
    event = {
        "event": "battery", "percent": percent, "left": [hours, minutes], "on": [on_hours, on_minutes],
        "standby": [days, by_hours, by_minutes], "charging": bool(status & 1),
        "discharging": bool(status & 2),
    }
    return [event] if (percent or 0) <= 100 else [event, violation(f"battery at {percent} percent")]


def decode_draughts(_payload):
    """Answer to a command that is never sent."""
    return [violation("dump of a draughts board")]


def decode_ee_moves(payload):
    """The whole log: oldest record first, closed by EOF."""
    log = parse_log(payload)
    events = [log_event("ee_moves", log)]
    if not log.records or log.records[-1]["record"] != "eof":
        events.append(violation("the log does not end with EOF"))
    if sum(record["record"] == "eof" for record in log.records) > 1:
        events.append(violation("more than one EOF in the log"))
    return events


# ---------------------------------------------------------------- the log

class Log(NamedTuple):
    """Records of a log and the number of bytes that are none."""
    records: list
    nops: int
    skipped: int


_TAGS = {
    0x6A: "powerup", 0x6B: "eof", 0x6C: "fourrows", 0x6D: "emptyboard", 0x6E: "downloaded",
    0x6F: "beginpos", 0x7A: "beginpos_rotated", 0x7B: "start", 0x7C: "watchdog",
    0x7D: "reserved", 0x7E: "reserved",
}


def parse_log(data):
    """Read records one after another; skip a byte at a time where none fits."""
    records, nops, skipped, at = [], 0, 0, 0
    while at < len(data):
        record, size = _parse_record(data[at:at + 3])
        if record:
            records.append(record)
        elif data[at] in (0x00, 0x7F):
            nops += 1
        else:
            skipped += 1
        at += size
    return Log(records, nops, skipped)


def _parse_record(data):
    first = data[0]
    if 0x40 <= first <= 0x5F and len(data) > 1 and data[1] < 64:
        return {"record": "piece", "square": square_name(data[1]), "piece": PIECES[first & 0x0F],
                "quick": bool(first & 0x10), "raw": data[1]}, 2
    if first & 0x60 == 0x60 and first & 0x0F <= 9 and len(data) > 2:
        seconds = clock_seconds(data)
        if seconds is not None:
            side = "left" if first & 0x10 else "right"
            return {"record": "time", "side": side, "time": time_text(seconds)}, 3
    if first in _TAGS:
        return {"record": _TAGS[first]}, 1
    return None, 1


def log_event(source, log):
    """The event of a log; the records stand in order."""
    event = {"event": "log", "source": source, "records": log.records}
    if log.nops:
        event["nops"] = log.nops
    if log.skipped:
        event["skipped"] = log.skipped
    return event


def decode_bus_log(source, data):
    """Records of a bus answer, which must be whole ones."""
    log = parse_log(data)
    events = [log_event(source, log)]
    if log.skipped:
        events.append(violation(f"{log.skipped} bytes in {source} belong to no record"))
    return events


# ---------------------------------------------------------------- the clock

CLOCK_COMMANDS = {0x01: "display", 0x02: "icons", 0x03: "end", 0x08: "button", 0x09: "version",
                  0x0A: "setnrun", 0x0B: "beep", 0x0C: "text", 0x0D: "text11"}
AUTO_ACKS = {0x81: "ready", 0x88: "button", 0x8A: "mode", 0x90: "not_in_mode"}
BUTTONS = {0x31: "back", 0x32: "plus", 0x33: "run", 0x34: "minus", 0x35: "ok"}


def bcd(byte):
    """Value of a two-digit decimal byte, or None."""
    high, low = byte >> 4, byte & 0x0F
    return high * 10 + low if high <= 9 and low <= 9 else None


def clock_seconds(data):
    """Seconds of hours (low nibble), minutes, seconds; None when they are impossible."""
    hours, minutes, seconds = data[0] & 0x0F, bcd(data[1]), bcd(data[2])
    if hours > 9 or minutes is None or seconds is None or minutes > 59 or seconds > 59:
        return None
    return hours * 3600 + minutes * 60 + seconds


def time_text(seconds):
    """H:MM:SS of a number of seconds."""
    return "{}:{:02}:{:02}".format(*split_time(seconds))


def decode_clock(payload):
    """Clock times, the absence of a clock, or the ack form of the same message."""
    if not any(payload):
        return [{"event": "null_clock"}]
    if payload[0] & 0x0F == 0x0A or payload[3] & 0x0F == 0x0A:
        return decode_ack(payload)
    status = payload[6]
    if status & 0x20:
        return [{"event": "no_clock"}]
    right, left = clock_seconds(payload[0:3]), clock_seconds(payload[3:6])
    if right is None or left is None:
        return [{"event": "corrupt_clock", "bytes": payload.hex(" ")},
                violation(f"clock times {payload.hex(' ')} are not decimal")]
    event = {
        "event": "times", "left": time_text(left), "right": time_text(right),
        "left_seconds": left, "right_seconds": right, "running": bool(status & 0x01),
        "lever": "right-high" if status & 0x02 else "left-high", "turn": _turn(status),
        "left_flag": _flag(payload[3]), "right_flag": _flag(payload[0]),
        "left_per_move": bool(payload[3] & 0x20), "right_per_move": bool(payload[0] & 0x20),
        "battery_low": bool(status & 0x04),
    }
    return [event, violation("bit 6 of the clock status is set")] if status & 0x40 else [event]


def _turn(status):
    return {0x08: "right", 0x10: "left"}.get(status & 0x18)


def _flag(byte):
    if byte & 0x10:
        return "fallen"
    return "shown" if byte & 0x40 else None


def decode_ack(payload):
    """The four ack bytes, whose high bits travel in the marked hours."""
    right, left = payload[0], payload[3]
    ack = [payload[1] | (left & 0x10) << 3, payload[2] | (left & 0x20) << 2,
           payload[4] | (right & 0x10) << 3, payload[5] | (right & 0x20) << 2]
    event = {"event": "ack", "ack": ack, "ok": ack[0] == 0x10, "auto": ack[1] >= 0x80,
             "marked": [right & 0x0F == 0x0A, left & 0x0F == 0x0A]}
    name = AUTO_ACKS.get(ack[1]) if event["auto"] else CLOCK_COMMANDS.get(ack[1])
    if name:
        event["command"] = name
    if name == "version" and event["ok"]:
        event["clock_version"] = f"{ack[2] >> 4}.{ack[2] & 0x0F}"
    if event["auto"] and name == "button":
        event["button"] = BUTTONS.get(ack[3])
    return [event, violation("byte 9 of an ack is not 0")] if payload[6] else [event]


_DECODERS = {
    DUMP: decode_dump, CLOCK: decode_clock, FIELD: decode_field, EE_MOVES: decode_ee_moves,
    BUSADDRESS: decode_busaddress, SERIAL: decode_serial, TRADEMARK: decode_trademark,
    VERSION: decode_version, DUMP_50B: decode_draughts, DUMP_50W: decode_draughts,
    BATTERY: decode_battery, LONG_SERIAL: decode_long_serial,
}


class Position:
    """What the host believes to stand on the board; unknown until the first dump."""

    def __init__(self):
        self.squares = None

    def adopt(self, codes):
        """Take a whole dump."""
        self.squares = [code & 0x0F for code in codes]

    def put(self, square, code):
        """Take one change; dropped while there is no baseline."""
        if self.squares is not None:
            self.squares[square] = code

    def differences(self, codes):
        """Names of the squares on which a dump says something else."""
        return [square_name(square) for square, code in enumerate(codes)
                if code & 0x0F != self.squares[square]]

    def placement(self):
        """FEN placement field, or None while unknown."""
        return None if self.squares is None else placement(self.squares)
