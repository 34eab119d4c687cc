"""Ages that tell two clocks apart."""

OTHER_CLOCK = 1e6
"""Age from which a stamp is of another clock [s]: a simulation's starts at zero, a machine's in 1970."""


def clock_hint(age: float) -> str:
    """Return the probable cause of an age [s], to append to a message; "" for one that can be true."""
    if abs(age) < OTHER_CLOCK:
        return ""
    return "; its stamps are of another clock: set use_sim_time alike on this node and on what publishes it"
