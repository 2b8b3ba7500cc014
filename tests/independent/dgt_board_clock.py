# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock of the stand-in board: time, lever, flags, and the bytes that tell them."""

import time


class HandError(Exception):
    """The hands were told to do something impossible."""


def parse_time(text):
    """Seconds of H:MM:SS, at most 9:59:59."""
    try:
        hours, minutes, seconds = (int(part) for part in text.split(":"))
    except ValueError:
        raise HandError(f"no time: {text}") from None
    if not (0 <= hours <= 9 and 0 <= minutes <= 59 and 0 <= seconds <= 59):
        raise HandError(f"impossible time: {text}")
    return hours * 3600 + minutes * 60 + seconds


def bcd_time(seconds):
    """Hours, minutes and seconds as decimal bytes."""
    return [seconds // 3600, to_bcd(seconds // 60 % 60), to_bcd(seconds % 60)]


def to_bcd(number):
    """A number below 100 as a decimal byte."""
    return number // 10 << 4 | number % 10


class Clock:
    """A chess clock in real time.

    Option normal: it runs itself, adds increments, shows flags and refuses to be set.
    Option 25: the host sets it; it only counts down.
    """

    def __init__(self, left, right, increment, option):
        self.remaining = {"left": float(left), "right": float(right)}
        self.increment = increment if option == "normal" else 0
        self.option = option
        self.plugged = True
        self.battery_low = False
        self.lever_high = "left"
        self.turn = "left"
        self.counting = set()
        self.follows_lever = option == "normal"
        self.fallen = None
        self._last = time.monotonic()

    @staticmethod
    def _other(side):
        return "right" if side == "left" else "left"

    def advance(self):
        """Let the time pass that has passed."""
        now = time.monotonic()
        elapsed, self._last = now - self._last, now
        for side in sorted(self.counting):
            self.remaining[side] = max(0.0, self.remaining[side] - elapsed)
            if self.remaining[side] == 0.0:
                self._run_out(side)

    def _run_out(self, side):
        self.counting.discard(side)
        if self.option == "normal":
            self.fallen = side
            self.counting.clear()

    def seconds(self, side):
        """Whole seconds on the display."""
        return int(-(-self.remaining[side] // 1))

    def press(self, side):
        """A player presses; True when the lever moved."""
        self.advance()
        if self.lever_high != side:
            return False
        self.lever_high = self._other(side)
        if self.follows_lever:
            if self.counting:
                self.remaining[side] += self.increment
                self.counting = {self.lever_high}
            self.turn = self.lever_high
        return True

    def start(self):
        """The start/stop button, towards start: the side whose lever is high runs."""
        self.advance()
        if self.fallen:
            raise HandError("the flag has fallen, set the times first")
        if self.option == "normal":
            self.turn = self.lever_high
        self.counting = {self.turn}

    def stop(self):
        """The start/stop button, towards stop."""
        self.advance()
        self.counting = set()

    def set_times(self, left, right):
        """Set by hand, which also puts a fallen flag back."""
        self.advance()
        self.remaining = {"left": float(left), "right": float(right)}
        self.fallen = None

    def set_and_run(self, arguments):
        """SETNRUN: plain binary, left first, then flags; False when refused."""
        times, flags = arguments[:6], arguments[6]
        if self.option == "normal":
            return False
        if any(value > limit for value, limit in zip(times, (9, 59, 59) * 2)):
            return False
        self.set_times(times[0] * 3600 + times[1] * 60 + times[2], times[3] * 3600 + times[4] * 60 + times[5])
        running = {side for bit, side in ((1, "left"), (2, "right")) if flags & bit}
        self.counting = set() if flags & 0x04 else running
        self.follows_lever = bool(flags & 0x08)
        if len(running) == 1:
            self.turn = next(iter(running))
        elif running:
            self.turn = self.lever_high
        return True

    def payload(self):
        """The seven bytes of the clock message: right side first."""
        if not self.plugged:
            return bytes([0, 0, 0, 0, 0, 0, 0x20])
        return bytes(self._side("right") + self._side("left") + [self._status()])

    def _side(self, side):
        hours, minutes, seconds = bcd_time(min(self.seconds(side), 35999))
        if self.fallen == side:
            hours |= 0x50
        if self.increment:
            hours |= 0x20
        return [hours, minutes, seconds]

    def _status(self):
        status = 0x08 if self.turn == "right" else 0x10
        status |= 0x01 if self.counting else 0
        status |= 0x02 if self.lever_high == "right" else 0
        return status | (0x04 if self.battery_low else 0)


def ack_payload(ack):
    """The clock message in ack form; both hours are marked."""
    right = 0x0A | (ack[2] & 0x80) >> 3 | (ack[3] & 0x80) >> 2
    left = 0x0A | (ack[0] & 0x80) >> 3 | (ack[1] & 0x80) >> 2
    return bytes([right, ack[0] & 0x7F, ack[1] & 0x7F, left, ack[2] & 0x7F, ack[3] & 0x7F, 0])
