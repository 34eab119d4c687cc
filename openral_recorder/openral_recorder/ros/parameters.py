"""ROS parameters of the recorder."""

from pathlib import Path

from pydantic import Field

from openral_recorder.selection import TopicSelection
from openral_recorder.writer import RecordingLimits
from openral_ros.parameters import Parameters

MEGABYTE = 1_000_000


class RecorderParameters(Parameters):
    """Parameters of the recorder: file, topics, rates and limits."""

    path: str = Field("run.mcap", description="file to write; an existing one is kept, and a number appended")
    follow: str = Field(
        "", description="folder whose JSON-lines files are recorded as they grow; empty = none"
    )
    include: tuple[str, ...] = Field((), description="regular expressions of topics to record; empty = all")
    exclude: tuple[str, ...] = Field((), description="regular expressions of topics to leave out")
    image_rate: float = Field(
        2.0, ge=0.0, le=60.0, description="highest rate of a colour image [Hz]; 0 = none"
    )
    depth_rate: float = Field(
        0.5, ge=0.0, le=60.0, description="highest rate of a depth image [Hz]; 0 = none"
    )
    topic_rate: float = Field(
        200.0, ge=0.0, le=10000.0, description="highest rate of each other topic [Hz]; 0 = none"
    )
    max_size_mb: float = Field(2000.0, ge=2.0, le=1e6, description="largest file [MB]")
    min_free_mb: float = Field(
        200.0, ge=0.0, le=1e6, description="disk space that recording leaves free [MB]"
    )
    discovery_period: float = Field(
        0.5, ge=0.05, le=10.0, description="time between two looks for topics [s]"
    )

    def selection(self) -> TopicSelection:
        """Return the policy of topics and rates."""
        return TopicSelection(
            include=self.include,
            exclude=self.exclude,
            image_rate=self.image_rate,
            depth_rate=self.depth_rate,
            topic_rate=self.topic_rate,
        )

    def limits(self) -> RecordingLimits:
        """Return the limits of the file."""
        return RecordingLimits(
            max_size=int(self.max_size_mb * MEGABYTE), min_free=int(self.min_free_mb * MEGABYTE)
        )

    def file(self) -> Path:
        """Return the file to write: ``path``, numbered if recordings of an earlier start exist."""
        first = Path(self.path).expanduser()
        names = (first.with_name(f"{first.stem}.{number}{first.suffix}") for number in range(1, 1000))
        return next((path for path in (first, *names) if not path.exists()), first)
