#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host for DGT boards: prints what a board says as one JSON object a line.

Exit code 0: all well; 1: the goal was not reached or the board did not answer;
3: something violated the protocol.
"""

import argparse
import math
import sys

import dgt_exercise
from dgt_bus import BusSession
from dgt_link import Port, PortGone, Reporter
from dgt_selftest import self_test
from dgt_single import SingleSession

EXIT_OK, EXIT_MISSED, EXIT_VIOLATION = 0, 1, 3


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", help="serial port or pseudo terminal")
    parser.add_argument("--mode", choices=["single", "bus"], default="single")
    parser.add_argument("--addresses", metavar="N,N", help="serial numbers of the boards on the bus")
    parser.add_argument("--seconds", type=float, help="how long to listen (10; after --exercise 0)")
    parser.add_argument("--until", metavar="PLACEMENT", help="stop when the model has this position")
    parser.add_argument("--idle-dump", type=float, metavar="SECONDS", help="compare a dump so often")
    parser.add_argument("--exercise", action="store_true", help="walk through all harmless commands")
    parser.add_argument("--echo", action="store_true", help="the line echoes what is sent")
    parser.add_argument("--quiet", action="store_true", help="print only violations and results")
    parser.add_argument("--self-test", action="store_true", help="check the decoder, without a port")
    arguments = parser.parse_args()
    if not arguments.self_test and not arguments.path:
        parser.error("a path is needed")
    if arguments.addresses:
        arguments.addresses = [int(text) & 0x3FFF for text in arguments.addresses.split(",")]
    if arguments.seconds is None:
        arguments.seconds = 0 if arguments.exercise and not arguments.until else 10
    if math.isinf(arguments.seconds) or arguments.seconds < 0:
        parser.error("seconds must be a finite number")
    return arguments


def run_single(port, reporter, arguments):
    """Talk to one board; return whether it answered, reached the goal, and its position."""
    session = SingleSession(port, reporter, arguments.until)
    answered = session.start()
    if answered and arguments.exercise:
        dgt_exercise.exercise_single(session)
    answered = answered and session.listen(arguments.seconds, arguments.idle_dump)
    session.finish()
    return answered, session.goal_reached, {"placement": session.position.placement()}


def run_bus(port, reporter, arguments):
    """Talk to the boards of a bus; the same answer."""
    session = BusSession(port, reporter, arguments.until)
    answered = session.start(arguments.addresses)
    if session.boards and arguments.exercise:
        dgt_exercise.exercise_bus(session)
    if session.boards:
        answered = session.listen(arguments.seconds, arguments.idle_dump) and answered
    placements = {str(board.address): board.position.placement() for board in session.boards.values()}
    return answered, session.goal_reached, {"placement": placements, "late_answers": session.late_answers}


def run(arguments):
    """Open the port, talk, print the summary; return the exit code."""
    reporter = Reporter(arguments.quiet)
    answered, reached, more = False, False, {"placement": None}
    port = None
    try:
        port = Port(arguments.path, drop_echo=arguments.echo)
        conversation = run_single if arguments.mode == "single" else run_bus
        answered, reached, more = conversation(port, reporter, arguments)
    except PortGone as error:
        reporter.emit({"event": "lost", "reason": str(error)})
    finally:
        if port:
            port.close()
    missed = not answered or (arguments.until is not None and not reached)
    code = EXIT_VIOLATION if reporter.violations else EXIT_MISSED if missed else EXIT_OK
    reporter.summary(**more, answered=answered, goal_reached=reached if arguments.until else None, exit=code)
    return code


def main():
    """Run the self-test or the conversation."""
    arguments = parse_arguments()
    if arguments.self_test:
        return self_test()
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
