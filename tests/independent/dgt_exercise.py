# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks through every harmless command and checks what must come back."""

import time

import dgt_bus as bus
import dgt_messages as msg
import dgt_single as single

# Glyphs of "test" on a seven-segment display; no byte of it has the value of a command.
DISPLAY_TEST = bytes([0x78, 0x6D, 0x78, 0x7B, 0x00, 0x00, 0x00, 0x01])
UNKNOWN_BYTES = bytes([0x00, 0x01, 0x7F])
PAUSE, LEFT_RUNS = 0x04, 0x01
TEST_LEFT, TEST_RIGHT = 5025, 3272       # 1:23:45 and 0:54:32, different in every field
UPDATE_INTERVAL = 1.3                    # one second, and what the line and the scheduler take


# ---------------------------------------------------------------- single mode

def exercise_single(session):
    """All steps in single mode; the board ends in UPDATE_NICE."""
    reporter = session.reporter
    session.goal_counts = False
    for step in (_idle_is_silent, _questions, _clock_question_keeps_mode, _unknown_bytes,
                 _update, _update_board, _reset_stops_streams, _ee_moves, _clock_commands,
                 _set_and_run, _bus_excursion):
        reporter.step(step.__name__.strip("_"))
        step(session)
    session.set_mode(single.UPDATE_NICE)
    session.goal_counts = True
    session.baseline()


def _require(session, command, timeout=1.0):
    """Ask a question that every board answers."""
    events = session.ask(command, timeout)
    if events is None:
        session.reporter.violation(f"no answer to {command:02x} in {session.mode}")
    return events


def _quiet_time(session, seconds):
    """Wait; the session itself complains about anything that was not asked for."""
    session.pump(single.GRACE)
    session.pump(seconds)


def _idle_is_silent(session):
    session.set_mode(single.RESET)
    _quiet_time(session, 2.0)


def _questions(session):
    for command in (single.VERSION, single.TRADEMARK, single.SEND_BRD):
        _require(session, command)
    serial = _require(session, single.SERIALNR)
    address = _require(session, single.BUSADRES)
    if serial and address and serial[0]["serial"].isdigit():
        _compare_address(session, int(serial[0]["serial"]), address[0]["busaddress"])
    for command in (single.LONG_SERIALNR, single.BATTERY, single.SEND_CLK):
        session.ask(command, optional=True)


def _compare_address(session, serial, address):
    if address != serial & 0x3FFF:
        session.reporter.violation(f"bus address {address} does not belong to serial number {serial}")


def _clock_question_keeps_mode(session):
    session.set_mode(single.RESET)
    session.ask_clock()
    _quiet_time(session, 1.5)
    session.set_mode(single.UPDATE_NICE)
    session.ask_clock()
    _check_acks(session)


def _check_acks(session):
    """In a mode with acks a clock that answered before answers again."""
    if session.clock_main is not None and session.clock_command(single.CLOCK_VERSION) is None:
        session.reporter.violation(f"no ack in {session.mode}")


def _unknown_bytes(session):
    session.set_mode(single.RESET)
    for byte in UNKNOWN_BYTES:
        session.send(bytes([byte]))
        session.pump(0.1)
    _require(session, single.VERSION)


def _update(session):
    session.set_mode(single.UPDATE)
    for _ in range(5):
        before = session.received[msg.CLOCK]
        if session.wait(lambda: session.received[msg.CLOCK] > before, UPDATE_INTERVAL):
            continue
        if session.clock_present:
            session.reporter.violation("no clock message for a second in UPDATE")
        else:
            session.reporter.unanswered("43")
        break
    _check_acks(session)


def _update_board(session):
    session.set_mode(single.UPDATE_BRD)
    _quiet_time(session, 1.5)
    session.fire_clock_command(single.CLOCK_VERSION)
    _quiet_time(session, 2.0)


def _reset_stops_streams(session):
    session.set_mode(single.UPDATE)
    session.pump(1.2)
    session.set_mode(single.RESET)
    _quiet_time(session, 2.5)


def _ee_moves(session):
    session.set_mode(single.RESET)
    _require(session, single.EE_MOVES, timeout=15.0)


def _clock_commands(session):
    session.set_mode(single.UPDATE_NICE)
    if session.clock_main is None:
        session.find_clock()
    if session.clock_main is None:
        return
    commands = [(0x09, b""), (0x0B, bytes([1])), (0x01, DISPLAY_TEST), (0x03, b""),
                (0x02, bytes([1, 1, 0, 0, 0, 0, 0, 0])), (0x03, b"")]
    if session.clock_main == 2:
        commands += [(0x0C, b"test    \x00"), (0x03, b"")]
    for command, arguments in commands:
        session.clock_command(command, arguments)


def _set_and_run(session):
    if session.clock_main is None or not session.clock_present:
        session.reporter.unanswered("2b 0a")
        return
    before = session.last_times
    if not _set_clock(session, TEST_LEFT, TEST_RIGHT, PAUSE):
        return
    _read_back(session, TEST_LEFT, TEST_RIGHT)
    _check_left_runs(session)
    if before:
        left, right = before["left_seconds"], before["right_seconds"]
        if _set_clock(session, left, right, PAUSE):
            _read_back(session, left, right)


def _set_clock(session, left, right, flags):
    """Set the clock; False when it is refused or not answered."""
    answer = session.clock_command(single.CLOCK_SETNRUN, msg.set_and_run(left, right, flags))
    if answer is None:
        return False
    if answer["ack"][0] == single.ACK_REFUSED:
        session.reporter.emit({"event": "refused", "command": "2b 0a"})
        return False
    return answer["ok"]


def _read_back(session, left, right):
    """The ack does not echo the values: ask for the times until they fit."""
    session.clock_command(single.CLOCK_END)
    session.pump(1.0)
    for _ in range(6):
        times = session.ask_clock()
        if times and abs(times["left_seconds"] - left) <= 2 and abs(times["right_seconds"] - right) <= 2:
            return
        session.pump(0.5)
    session.reporter.violation("the clock does not show the times it was set to", times=times)


def _check_left_runs(session):
    if not _set_clock(session, TEST_LEFT, TEST_RIGHT, LEFT_RUNS):
        session.reporter.violation("the clock may be paused but not run")
        return
    session.pump(3.0)
    times = session.ask_clock()
    if not times:
        return
    fallen = TEST_LEFT - times["left_seconds"]
    if not 1 <= fallen <= 6 or times["right_seconds"] != TEST_RIGHT or not times["running"]:
        session.reporter.violation("the left clock does not run down alone", times=times)


def _bus_excursion(session):
    """To bus mode and back, in both ways."""
    session.set_mode(single.RESET)
    address = session.ask(single.BUSADRES)
    if address is None:
        return
    address = address[0]["busaddress"]
    visitor = bus.BusSession(session.port, session.reporter)
    session.send(bytes([single.TO_BUSMODE]))
    session.pump(0.1)
    if not _bus_version(visitor, address):
        session.reporter.unanswered("8b")
        _return_to_single(session)
        return
    visitor.send(bus.END_BUSMODE, address)
    visitor.idle(0.1)
    _return_to_single(session)
    if visitor.transact(bus.SEND_VERSION, address):
        session.reporter.violation("the first bus command in single mode was answered", address)
    if not _bus_version(visitor, address):
        session.reporter.violation("a bus command did not lead to bus mode", address)
    _return_to_single(session)


def _bus_version(visitor, address):
    """Ask the version on the bus; the first command may only switch the mode."""
    for attempt in range(1, 4):
        frame = visitor.transact(bus.SEND_VERSION, address)
        if frame:
            main, sub = frame.data or (None, None)
            visitor.reporter.emit({"event": "version", "main": main, "sub": sub, "attempts": attempt}, address)
            return True
    return False


def _return_to_single(session):
    session.forget_input()
    if not session.ask(single.VERSION, tries=3):
        session.reporter.violation("a single command does not lead out of bus mode")


# ---------------------------------------------------------------- bus mode

def exercise_bus(session):
    """All steps for each board found, the reset last."""
    for board in session.boards.values():
        for step in (_bus_questions, _bus_changes, _bus_start_of_game, _bus_wrong_checksum,
                     _bus_wrong_address, _bus_ignore_ping):
            session.reporter.step(step.__name__.strip("_"), board.address)
            step(session, board)
    if len(session.boards) == 1:
        board = next(iter(session.boards.values()))
        session.reporter.step("bus_end", board.address)
        _bus_end(session, board)
    for board in session.boards.values():
        session.reporter.step("bus_reset", board.address)
        _bus_reset(session, board)


def _require_bus(session, frame, command, board):
    if frame is None:
        session.reporter.violation(f"no answer to {command:02x}", board.address)
    return frame


def _bus_questions(session, board):
    _require_bus(session, session.exchange(bus.PING, board.address), bus.PING, board)
    _require_bus(session, session.read_version(board), bus.SEND_VERSION, board)
    _require_bus(session, session.read_clock(board), bus.SEND_CLK, board)
    _require_bus(session, session.read_dump(board), bus.SEND_BRD, board)


def _bus_changes(session, board):
    """Changes are given once; the last packet can be had again, even an empty one."""
    for _ in range(2):
        fetched = _require_bus(session, session.read_changes(board), bus.SEND_CHANGES, board)
        for _ in range(2):
            again = session.exchange(bus.REPEAT_CHANGES, board.address)
            if _require_bus(session, again, bus.REPEAT_CHANGES, board) and fetched and again.data != fetched.data:
                session.reporter.violation("84 does not repeat the packet of 83", board.address,
                                           was=fetched.data.hex(" "), now=again.data.hex(" "))


def _bus_start_of_game(session, board):
    """A start tag with all pieces appears in the changes first, then in the game."""
    session.read_changes(board)
    if not _require_bus(session, session.exchange(bus.SET_START_GAME, board.address), bus.SET_START_GAME, board):
        return
    early = session.exchange(bus.SEND_FROM_START, board.address)
    if _require_bus(session, early, bus.SEND_FROM_START, board):
        session.report(msg.decode_bus_log("from_start_early", early.data), board.address)
        if early.data:
            session.reporter.violation("86 gives what 83 has not fetched yet", board.address)
    fetched = session.read_changes(board)
    if fetched and not any(r["record"] == "start" for r in msg.parse_log(fetched.data).records):
        session.reporter.violation("83 does not give the start tag", board.address)
    game = session.exchange(bus.SEND_FROM_START, board.address)
    if _require_bus(session, game, bus.SEND_FROM_START, board):
        _check_game(session, board, game.data)


def _check_game(session, board, data):
    events = msg.decode_bus_log("from_start", data)
    session.report(events, board.address)
    records = events[0]["records"]
    if not records or records[0]["record"] != "start":
        session.reporter.violation("86 does not begin with the start tag", board.address)
        return
    squares = [0] * 64
    for record in records:
        if record["record"] == "piece":
            squares[record["raw"]] = msg.PIECES.index(record["piece"])
    if board.position.squares is not None and board.position.differences(squares):
        session.reporter.violation("the records since the start tag do not lead to the position", board.address,
                                   placement=msg.placement(squares), squares=board.position.differences(squares))


def _bus_wrong_checksum(session, board):
    frame = bytearray(msg.bus_command(bus.PING, board.address))
    frame[3] ^= 0x01
    session.port.write(bytes(frame))
    session.idle(0.4)
    _require_bus(session, session.exchange(bus.PING, board.address), bus.PING, board)


def _bus_wrong_address(session, board):
    stranger = next(address for address in range(1, 0x4000)
                    if address not in session.boards and address != board.address)
    if session.transact(bus.PING, stranger):
        session.reporter.emit({"event": "note", "what": "a board that was not listed answered"}, stranger)


def _bus_ignore_ping(session, board):
    answer = session.exchange(bus.IGNORE_NEXT_BUS_PING, board.address)
    if not _require_bus(session, answer, bus.IGNORE_NEXT_BUS_PING, board):
        return
    answers, _ = session.ping_everybody()
    if board.address in answers:
        session.reporter.violation("answered a ping it was told to ignore", board.address)
    for _ in range(5):
        answers, garbage = session.ping_everybody()
        if board.address in answers:
            return
        if not garbage:
            break
    session.reporter.violation("did not answer a ping to everybody", board.address)


def _bus_end(session, board):
    """With one board only: to single mode and back."""
    session.send(bus.END_BUSMODE, board.address)
    session.idle(0.1)
    visitor = single.SingleSession(session.port, session.reporter)
    visitor.mode = single.IDLE_MODE
    if not visitor.ask(single.VERSION, tries=2):
        session.reporter.violation("88 does not lead to single mode", board.address)
    session.forget_input()
    if session.transact(bus.PING, board.address):
        session.reporter.violation("the first bus command in single mode was answered", board.address)
    _require_bus(session, session.exchange(bus.PING, board.address), bus.PING, board)
    board.must_resync = True


def _bus_reset(session, board):
    session.send(bus.BUS_RESET, board.address)
    end = time.monotonic() + 10.0
    while time.monotonic() < end:
        session.idle(0.5)
        if session.transact(bus.PING, board.address):
            break
    else:
        session.reporter.violation("no answer within 10 s after 89", board.address)
        return
    fetched = session.read_changes(board)
    if fetched and not any(r["record"] == "powerup" for r in msg.parse_log(fetched.data).records):
        session.reporter.emit({"event": "note", "what": "no power-up record after 89"}, board.address)
    session.resync(board)
