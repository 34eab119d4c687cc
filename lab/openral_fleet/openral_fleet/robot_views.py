"""The dispatcher's view of each robot: its last report, the status of its reasoner, and since when."""

from dataclasses import dataclass, replace

from openral_core.missions import MissionState
from openral_fleet.events import MissionReported
from openral_fleet.records import ErrandRecord, ErrandState
from openral_fleet.robots import RobotState
from openral_fleet.settings import HANGS_AFTER, IDLE_AFTER, REPORTS_WITHIN


@dataclass(frozen=True, slots=True)
class RobotView:
    """View of one robot at time ``now`` [s]."""

    state: RobotState
    now: float = 0.0
    reported_at: float = -REPORTS_WITHIN  # Time of its last report [s].
    process: str = ""  # Session of its reasoner's latest process, also while it is absent.
    since: float = 0.0  # Time since which its reasoner is this process [s].
    absent_since: float = 0.0  # Time at which it was last seen to be absent [s].
    status: MissionReported | None = None  # Latest status of its missions; None before the first.
    reported: float = 0.0  # Time of that status [s].
    paused_until: float = 0.0  # Time until which it is offered nothing [s].

    @property
    def is_present(self) -> bool:
        """True if its reasoner is in the graph."""
        return bool(self.state.session) and self.now - self.reported_at < REPORTS_WITHIN

    @property
    def has_no_mission(self) -> bool:
        """True if its reasoner reported that it runs no mission."""
        return self.status is not None and (self.status.state.ended or self.status.state is MissionState.IDLE)

    @property
    def is_free(self) -> bool:
        """True if it runs no mission, or reports none: the last word of an idle reasoner may be lost."""
        silent = self.status is None and self.now - self.since >= IDLE_AFTER
        return self.has_no_mission or silent

    @property
    def is_working(self) -> bool:
        """True if it is present and reports missions: a hung reasoner neither ends nor repeats one."""
        return self.is_present and (self.is_free or self.now - self.reported < HANGS_AFTER)

    @property
    def is_idle(self) -> bool:
        """True if it may be offered an errand."""
        return self.is_present and self.is_free and not self.state.busy and self.now >= self.paused_until

    def says_nothing_of(self, record: ErrandRecord) -> bool:
        """Return True if it does not report an errand that it has."""
        assert record.attempt is not None
        if not self.is_present or self.state.session != record.attempt.session:
            return True
        return record.state is not ErrandState.OFFERED and self.has_no_mission

    def is_free_since(self, since: float, seconds: float) -> bool:
        """Return True if it has had no mission for so long [s], and executes no skill."""
        is_free = self.has_no_mission and not self.state.busy
        return is_free and self.now - max(since, self.since) >= seconds


class RobotViews:
    """Views of the robots by name."""

    def __init__(self) -> None:
        self._views: dict[str, RobotView] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the robots that were ever reported."""
        return tuple(sorted(self._views))

    def view(self, name: str, now: float) -> RobotView:
        """Return the view of a robot at a time; of an unknown one, that it is absent."""
        return replace(self._views.get(name, RobotView(RobotState(name))), now=now)

    def state(self, name: str) -> RobotState:
        """Return the last report of a robot."""
        return self._views.get(name, RobotView(RobotState(name))).state

    def report(self, robot: RobotState, now: float) -> None:
        """Take a report; what an earlier process of the robot reported no longer counts.

        A new process may report a mission before it is known by its session.
        """
        view = self.view(robot.name, now)
        if not robot.session and view.state.session:
            view = replace(view, absent_since=now)
        elif robot.session and robot.session != view.process:
            is_new = view.reported >= view.absent_since and not view.state.session
            status = view.status if is_new else None
            view = replace(view, since=now, process=robot.session, status=status)
        self._views[robot.name] = replace(view, state=robot, reported_at=now)

    def note(self, status: MissionReported, now: float) -> None:
        """Take the status of a mission."""
        if status.robot in self._views:
            self._views[status.robot] = replace(self._views[status.robot], status=status, reported=now)

    def pause(self, name: str, until: float) -> None:
        """Offer a robot nothing until a time [s]."""
        if name in self._views:
            self._views[name] = replace(self._views[name], paused_until=until)

    def present(self, now: float) -> list[RobotState]:
        """Return the robots whose reasoners are in the graph and report, by name."""
        return [self._views[name].state for name in self.names if self.view(name, now).is_working]

    def idle(self, now: float) -> list[RobotState]:
        """Return the robots that may be offered an errand, by name."""
        return [self._views[name].state for name in self.names if self.view(name, now).is_idle]
