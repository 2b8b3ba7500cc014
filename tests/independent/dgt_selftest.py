# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the decoder against the worked vectors and the broken inputs of the protocol."""

import json

import dgt_messages as msg

START = "08 09 0a 0c 0b 0a 09 08" + " 07" * 8 + " 00" * 32 + " 01" * 8 + " 02 03 04 06 05 04 03 02"
TURNED = "02 03 04 05 06 04 03 02" + " 01" * 8 + " 00" * 32 + " 07" * 8 + " 08 09 0a 0b 0c 0a 09 08"
TURNED_PLACEMENT = "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr"
EMPTY = " 00" * 64


def field(square, piece, raw):
    """What a field update should give."""
    return {"event": "field", "square": square, "piece": piece, "raw": raw}


def times(left, right, **more):
    """What clock times should give; only the named fields are compared."""
    return {"event": "times", "left": left, "right": right, **more}


def ack(*numbers, **more):
    """What an ack should give."""
    return {"event": "ack", "ack": list(numbers), **more}


def noise(count):
    """Junk of so many bytes."""
    return {"event": "noise", "bytes": count}


BROKEN = {"event": "violation"}
E4 = field("e4", "P", 36)
E2_OFF = field("e2", ".", 52)
E4_BYTES = "8e 00 05 24 01"

# number, received bytes, events
SINGLE_VECTORS = [
    ("1", "86 00 43 " + START, [{"event": "dump", "placement": msg.START_PLACEMENT, "start": "normal"}]),
    ("2", "86 00 43 " + TURNED, [{"event": "dump", "placement": TURNED_PLACEMENT, "start": "rotated"}]),
    ("3", "86 00 43" + EMPTY, [{"event": "dump", "placement": "8/8/8/8/8/8/8/8", "start": None}]),
    ("4", "8e 00 05 34 00", [E2_OFF]),
    ("5", E4_BYTES, [E4]),
    ("14", "8d 00 0a 01 30 00 01 29 58 11",
     [times("1:29:58", "1:30:00", running=True, lever="left-high", turn="left", left_flag=None, battery_low=False)]),
    ("15", "8d 00 0a 01 29 59 01 29 58 0b",
     [times("1:29:58", "1:29:59", running=True, lever="right-high", turn="right")]),
    ("16", "8d 00 0a 01 30 00 01 29 58 10",
     [times("1:29:58", "1:30:00", running=False, lever="left-high", turn="left")]),
    ("17", "8d 00 0a 01 30 00 01 29 58 15", [times("1:29:58", "1:30:00", running=True, battery_low=True)]),
    ("18", "8d 00 0a 00 00 07 50 00 00 10",
     [times("0:00:00", "0:00:07", running=False, left_flag="fallen", right_flag=None)]),
    ("19", "8d 00 0a 40 59 30 00 03 02 0b",
     [times("0:03:02", "0:59:30", running=True, right_flag="shown", left_flag=None)]),
    ("20", "8d 00 0a 20 02 59 20 03 02 0b",
     [times("0:03:02", "0:02:59", left_per_move=True, right_per_move=True)]),
    ("21", "8d 00 0a 00 04 59 00 05 00 09",
     [times("0:05:00", "0:04:59", running=True, lever="left-high", turn="right")]),
    ("22", "8d 00 0a 00 00 00 00 00 00 20", [{"event": "no_clock"}]),
    ("23", "8d 00 0a 00 00 00 00 00 00 00", [{"event": "null_clock"}]),
    ("24", "8d 00 0a 0c 08 08 00 00 00 00", [{"event": "corrupt_clock"}, BROKEN]),
    ("25", "8d 00 0a 0a 10 09 0a 20 00 00", [ack(0x10, 9, 0x20, 0, command="version", clock_version="2.0")]),
    ("26", "8d 00 0a 0a 10 09 0a 1e 00 00", [ack(0x10, 9, 0x1E, 0, clock_version="1.14")]),
    ("27", "8d 00 0a 0a 10 0a 0a 00 00 00", [ack(0x10, 10, 0, 0, command="setnrun", ok=True)]),
    ("28", "8d 00 0a 0a 40 0a 0a 00 00 00", [ack(0x40, 10, 0, 0, command="setnrun", ok=False)]),
    ("29", "8d 00 0a 0a 20 00 0a 00 00 00", [ack(0x20, 0, 0, 0, ok=False)]),
    ("30 back", "8d 00 0a 0a 10 08 2a 05 31 00", [ack(0x10, 0x88, 0x05, 0x31, button="back", auto=True)]),
    ("30 minus", "8d 00 0a 0a 10 08 2a 21 34 00", [ack(0x10, 0x88, 0x21, 0x34, button="minus")]),
    ("30 run", "8d 00 0a 0a 10 08 2a 11 33 00", [ack(0x10, 0x88, 0x11, 0x33, button="run")]),
    ("30 plus", "8d 00 0a 0a 10 08 2a 09 32 00", [ack(0x10, 0x88, 0x09, 0x32, button="plus")]),
    ("30 ok", "8d 00 0a 0a 10 08 2a 41 35 00", [ack(0x10, 0x88, 0x41, 0x35, button="ok")]),
    ("31", "8d 00 0a 0a 10 08 20 05 31 00", [ack(0x10, 0x88, 0x05, 0x31, button="back", marked=[True, False])]),
    ("32", "8d 00 0a 0a 10 01 2a 00 00 00", [ack(0x10, 0x81, 0, 0, command="ready", auto=True)]),
    ("33", "8d 00 0a 0a 10 0c 0a 00 00 00", [ack(0x10, 0x0C, 0, 0, command="text", auto=False)]),
    ("34 short", "91 00 08 30 31 30 32 35", [{"event": "serial", "serial": "01025"}]),
    ("34 long", "a2 00 0d 33 30 30 30 31 34 37 37 34 30", [{"event": "long_serial", "long_serial": "3000147740"}]),
    ("35 version", "93 00 05 03 01", [{"event": "version", "main": 3, "sub": 1}]),
    ("35 address", "90 00 05 08 01", [{"event": "busaddress", "busaddress": 1025}]),
    ("35 battery", "a0 00 0c 64 7f 7f 00 00 00 00 00 00",
     [{"event": "battery", "percent": 100, "left": [None, None], "charging": False}]),
    ("36", "8f 3e 03" + " 7f" * 7929 + " 6a 5c 00 6f 41 24 6b",
     [{"event": "log", "nops": 7929, "records": [
         {"record": "powerup"},
         {"record": "piece", "square": "a8", "piece": "q", "quick": True, "raw": 0},
         {"record": "beginpos"},
         {"record": "piece", "square": "e4", "piece": "P", "quick": False, "raw": 36},
         {"record": "eof"}]}]),
    ("37", "92 01 1c" + " 61" * 153, [{"event": "trademark", "text": "a" * 153}]),
]

BROKEN_INPUTS = [
    ("unfinished", "8e 00 05 34 " + E4_BYTES, [noise(4), E4]),
    ("unfinished clock", "8d 00 0a 01 30 8e 00 05 34 00", [noise(5), E2_OFF]),
    ("junk", "00 41 5a " + E4_BYTES, [noise(3), E4]),
    ("zero run", "80 00 00 00 00 00 00 " + E4_BYTES, [noise(3), noise(4), E4]),
    ("length 0", "8e 00 00 34 00 " + E4_BYTES, [BROKEN, noise(2), E4]),
    ("draughts", "86 00 67 00 00 " + E4_BYTES, [BROKEN, noise(2), E4]),
    ("one more", E4_BYTES + " 00", [E4, noise(1)]),
    ("two at once", "8e 00 05 34 00 " + E4_BYTES, [E2_OFF, E4]),
    ("square 64", "8e 00 05 40 01", [BROKEN]),
    ("high bits", "8e 00 05 34 41", [{**field("e2", "P", 52), "high_bits": 0x40}]),
    ("magic", "8e 00 05 34 0e", [field("e2", "Y", 52), {"event": "result", "result": "white_wins"}]),
    ("bus frame", "87 00 06 08 01 16", [{"event": "foreign", "id": 0x87}]),
    ("bus frame 86", "86 00 09 08 01 7b 5a 00 6d", [BROKEN, noise(6)]),
    ("impossible length", "b0 3f 10 " + E4_BYTES, [noise(2), noise(1), E4]),
    ("error ack", "8d 00 0a 0a 00 00 00 00 00 00", [ack(0, 0, 0, 0, ok=False)]),
    ("bit 7", "8e 00 05 34 ff " + E4_BYTES, [BROKEN, noise(1), E4]),
]

# number, bytes of moves, placement afterwards, from the initial position unless told
GAMES = [
    ("4+5", "8e 00 05 34 00 8e 00 05 24 01", None, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
    ("6", "8e 00 05 2c 01 8e 00 05 34 00 8e 00 05 24 01 8e 00 05 2c 00", None,
     "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
    ("7", "8e 00 05 1b 01 8e 00 05 24 00", {27: 7, 36: 1}, "8/8/8/3P4/8/8/8/8"),
    ("8", "8e 00 05 3c 00 8e 00 05 3e 05 8e 00 05 3f 00 8e 00 05 3d 02", {60: 5, 63: 2}, "8/8/8/8/8/8/8/5RK1"),
    ("9", "8e 00 05 04 00 8e 00 05 02 0b 8e 00 05 00 00 8e 00 05 03 08", {4: 11, 0: 8}, "2kr4/8/8/8/8/8/8/8"),
    ("10", "8e 00 05 1c 00 8e 00 05 13 01 8e 00 05 1b 00", {28: 1, 27: 7}, "8/8/3P4/8/8/8/8/8"),
    ("11", "8e 00 05 09 00 8e 00 05 01 01", {9: 1}, "1P6/8/8/8/8/8/8/8"),
    ("12", "8e 00 05 01 00 8e 00 05 01 06", {1: 1}, "1Q6/8/8/8/8/8/8/8"),
    ("13", "8e 00 05 24 05 8e 00 05 1b 0b", {}, "8/8/8/3k4/4K3/8/8/8"),
]

# number, received bytes, id, address, data, whether the checksum is right
BUS_VECTORS = [
    ("43", "85 00 0d 08 01 40 34 51 24 71 29 58 76", 0x85, "40 34 51 24 71 29 58", True),
    ("44", "85 00 06 08 01 14", 0x85, "", True),
    ("45", "87 00 06 08 01 16", 0x87, "", True),
    ("45 bad", "87 00 06 08 01 17", 0x87, "", False),
    ("46", "84 00 0d 08 01 01 30 00 01 29 58 11 5e", 0x84, "01 30 00 01 29 58 11", True),
    ("47", "83 00 46 08 01 " + START + " 7c", 0x83, START, True),
    ("48", "88 00 06 08 01 17", 0x88, "", True),
    ("49", "89 00 08 08 01 01 03 1e", 0x89, "01 03", True),
    ("50", "86 00 09 08 01 7b 5a 00 6d", 0x86, "7b 5a 00", True),
]

# number, the frame built, the frame expected
SENT_VECTORS = [
    ("25 asked", msg.clock_message(0x09), "2b 03 03 09 00"),
    ("38", msg.clock_message(0x0A, msg.set_and_run(5518, 5400, 4)), "2b 0a 03 0a 01 1f 3a 01 1e 00 04 00"),
    ("39", msg.clock_message(0x0A, msg.set_and_run(5518, 5400, 1)), "2b 0a 03 0a 01 1f 3a 01 1e 00 01 00"),
    ("40 text", msg.clock_message(0x0C, b"illegal \x00"), "2b 0c 03 0c 69 6c 6c 65 67 61 6c 20 00 00"),
    ("40 beep", msg.clock_message(0x0B, b"\x10"), "2b 04 03 0b 10 00"),
    ("41", msg.clock_message(0x01, bytes([0, 0x5B, 0x7B, 0, 0x66, 0x7B, 0, 1])),
     "2b 0b 03 01 00 5b 7b 00 66 7b 00 01 00"),
    ("43", msg.bus_command(0x83, 1025), "83 08 01 0c"),
    ("45", msg.bus_command(0x87, 0), "87 00 00 07"),
    ("46", msg.bus_command(0x81, 1025), "81 08 01 0a"),
    ("47", msg.bus_command(0x82, 1025), "82 08 01 0b"),
    ("48", msg.bus_command(0x85, 1025), "85 08 01 0e"),
    ("49 version", msg.bus_command(0x8B, 1025), "8b 08 01 14"),
    ("49 ignore", msg.bus_command(0x8A, 1025), "8a 08 01 13"),
    ("checksum", msg.bus_command(0x81, 16 << 7 | 6), "81 10 06 17"),
]


class SelfTest:
    """Runs the vectors and collects the failures."""

    def __init__(self):
        self.checks = 0
        self.failures = []

    def check(self, name, right, **details):
        """Count one comparison."""
        self.checks += 1
        if not right:
            self.failures.append({"vector": name, **details})

    def compare_events(self, name, events, expected):
        """Each expected event must be there, in order, with at least the named fields."""
        right = len(events) == len(expected) and all(
            all(key in event and event[key] == value for key, value in wanted.items())
            for event, wanted in zip(events, expected))
        self.check(name, right, got=events, expected=expected)


def events_of(data, size=None):
    """Events of a byte stream that arrives in pieces of a size."""
    framer, items = msg.Framer(), []
    for at in range(0, len(data), size or len(data)):
        items += framer.feed(data[at:at + (size or len(data))])
    events = []
    for item in items + framer.flush():
        events += item_events(item)
    return events


def item_events(item):
    """Events of one item of the framer."""
    if isinstance(item, msg.Frame):
        return msg.decode(item)
    if isinstance(item, msg.Noise):
        return [{"event": "noise", "bytes": len(item.data)}]
    if isinstance(item, msg.Foreign):
        return [{"event": "foreign", "id": item.id}]
    return [msg.violation(item.what)]


def check_streams(test):
    """All single-mode vectors and broken inputs, whole and in pieces of each size up to 5."""
    for name, text, expected in SINGLE_VECTORS + BROKEN_INPUTS:
        data = bytes.fromhex(text)
        for size in (None, 1, 2, 3, 4, 5):
            test.compare_events(name, events_of(data, size), expected)


def check_games(test):
    """The vectors that are sequences of field updates."""
    for name, text, pieces, expected in GAMES:
        position = msg.Position()
        position.adopt(bytes.fromhex(START) if pieces is None else [pieces.get(s, 0) for s in range(64)])
        for event in events_of(bytes.fromhex(text)):
            position.put(event["raw"], msg.PIECES.index(event["piece"]))
        test.check(name, position.placement() == expected, got=position.placement(), expected=expected)


def check_bus(test):
    """The bus vectors, and what the records in them mean."""
    for name, text, ident, data, right in BUS_VECTORS:
        items = msg.Framer(bus=True).feed(bytes.fromhex(text))
        expected = [msg.BusFrame(ident, 1025, bytes.fromhex(data), right)]
        test.check(name, items == expected, got=repr(items), expected=repr(expected))
    log = msg.parse_log(bytes.fromhex("40 34 51 24 71 29 58")).records
    test.compare_events("43 records", log, [
        {"record": "piece", "square": "e2", "piece": ".", "quick": False},
        {"record": "piece", "square": "e4", "piece": "P", "quick": True},
        {"record": "time", "side": "left", "time": "1:29:58"}])
    log = msg.parse_log(bytes.fromhex("7b 5a 00")).records
    test.compare_events("50 records", log, [
        {"record": "start"}, {"record": "piece", "square": "a8", "piece": "b", "quick": True}])
    test.compare_events("46 times", msg.decode_clock(bytes.fromhex("01 30 00 01 29 58 11")),
                        [times("1:29:58", "1:30:00", running=True, turn="left")])
    test.check("2 turned", msg.placement(list(bytes.fromhex(TURNED))[::-1]) == msg.START_PLACEMENT)


def check_sent(test):
    """The host's own frames."""
    for name, frame, expected in SENT_VECTORS:
        test.check(name, frame == bytes.fromhex(expected), got=frame.hex(" "), expected=expected)


def self_test():
    """Run all checks, print the failures and a summary; return the exit code."""
    test = SelfTest()
    for part in (check_streams, check_games, check_bus, check_sent):
        part(test)
    for failure in test.failures:
        print(json.dumps({"event": "failure", **failure}))
    print(json.dumps({"event": "self_test", "checks": test.checks, "failures": len(test.failures)}))
    return 1 if test.failures else 0
