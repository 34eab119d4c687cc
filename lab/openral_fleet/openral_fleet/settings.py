"""Settings of the dispatcher."""

from pydantic import Field

from openral_fleet import defaults
from openral_reasoner.context import FrozenModel


class FleetSettings(FrozenModel):
    """Time limits of a fleet [s].

    A lost robot keeps its errand until its mission must have ended by the mission's own time budget. Only a
    robot that is known to be off, or presumed to be, loses it earlier.
    """

    mission_seconds: float = Field(
        default=defaults.MISSION_SECONDS,
        gt=0.0,
        description="time budget of a mission until its robot reports it [s]",
    )
    lease_margin: float = Field(
        default=180.0,
        ge=0.0,
        description="beyond a mission's time budget, for skills to end and people to answer [s]",
    )
    presumed_off: float = Field(
        default=defaults.PRESUMED_OFF,
        ge=0.0,
        description="absence after which a robot is presumed off [s]; 0 waits for the end of its lease",
    )
    patience: float = Field(
        default=defaults.PATIENCE,
        gt=0.0,
        description="wait for a robot that can do an errand, or can look [s]",
    )
    answer: float = Field(default=defaults.ANSWER, ge=0.0, description="wait for a person's answer [s]")
    max_missions: int = Field(default=6, ge=1, le=100, description="missions of one errand, looks included")


PROMPT_LIFESPAN = 10.0
"""Age at which a prompt that was not delivered expires [s]: an old one must not start a mission."""
REPEATS_FOR = 10.0
"""Time for which a prompt without a receipt is repeated [s]; a reasoner answers within milliseconds."""
RESEND_PERIOD = 30.0
"""Time after which it is sent again to a robot that is present [s]: to the same process it is one prompt."""
MAX_SENDS = 4
"""Times that a prompt is sent by one process of the dispatcher."""
RESUMES_WITHIN = 20.0
"""Time in which a restarted reasoner reports the mission that it resumes [s]; it takes up to 14 s."""
REPORTS_WITHIN = 10.0
"""Silence after which a robot counts as absent [s]; it is reported once a second."""
LEASE_STEP = 10.0
"""Least change of a lease that is renewed [s]."""
HANGS_AFTER = 60.0
"""Silence of a reasoner with a mission after which it counts as hung [s]; it reports at least every 5 s."""
IDLE_AFTER = 5.0
"""Presence of a reasoner without any status after which it counts as idle [s]; a busy one reports."""
REFUSAL_PAUSE = 10.0
"""Time in which a robot that refused is offered nothing [s]."""
LOOK_SETTLES = 3.0
"""Time from the end of a look until memory has what was seen [s]."""
STOP_PERIOD = 2.0
"""Least time between two stops of one robot that works on what it no longer has [s]."""
