"""Two maps of one home, and what memory keeps of the older one."""

from pathlib import Path

import numpy as np
import pytest

from openral_core.geometry import Pose, planar_part, yaw_matrix
from openral_core.home_map import HomeMap, Pose2, load_map
from openral_core.spatial_memory import RecallQuery, ResolveQuery, ResolveStatus
from openral_core.text import Thesaurus
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import static_map_from_home
from openral_world_state.world.map_change import Landmark, Landmarks, motion_between
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModelSettings

MAPS = Path(__file__).parents[3] / "scenes" / "maps"
HOME, OTHER = load_map(MAPS / "home.yaml"), load_map(MAPS / "flat.yaml")
TURN = yaw_matrix(3.0, -1.5, 0.6)


def moved(home: HomeMap, T: np.ndarray, without: tuple[str, ...] = ()) -> HomeMap:
    """Return the home as a map with another origin shows it, some furniture missing."""

    def at(pose: Pose2) -> Pose2:
        x, y, yaw = planar_part(T @ yaw_matrix(pose.x, pose.y, pose.yaw))
        return Pose2(x=x, y=y, yaw=yaw)

    def point(xy: tuple[float, float]) -> tuple[float, float]:
        x, y = (T @ (*xy, 0.0, 1.0))[:2].tolist()
        return x, y

    def posed(items: tuple) -> tuple:  # type: ignore[type-arg]
        return tuple(
            each.model_copy(update={"pose": at(each.pose)})
            for each in items
            if each.id not in without and getattr(each, "looks_at", None) not in without
        )

    return home.model_copy(
        update={
            "rooms": tuple(
                r.model_copy(update={"polygon": tuple(map(point, r.polygon))}) for r in home.rooms
            ),
            "doorways": tuple(d.model_copy(update={"at": point(d.at)}) for d in home.doorways),
            "fixtures": posed(home.fixtures),
            "places": posed(home.places),
            "agents": posed(home.agents),
        }
    )


def marks(home: HomeMap) -> tuple[Landmark, ...]:
    return Landmarks.of(static_map_from_home(home), 0).found


@pytest.mark.parametrize("without", [(), ("sofa", "plant", "floor_lamp")])
def test_the_motion_between_two_maps_of_a_home_is_found(without: tuple[str, ...]) -> None:
    found = motion_between(marks(HOME), marks(moved(HOME, TURN, without)))
    assert found is not None
    assert np.allclose(found, TURN, atol=0.02)


def test_errors_of_the_maps_and_furniture_that_was_moved_are_borne() -> None:
    rng = np.random.default_rng(1)
    new = [
        mark.model_copy(update={"x": mark.x + rng.normal(0.0, 0.06), "y": mark.y + rng.normal(0.0, 0.06)})
        for mark in marks(moved(HOME, TURN))
    ]
    new[3] = new[3].model_copy(update={"x": new[3].x + 2.0})
    found = motion_between(marks(HOME), new)
    assert found is not None
    assert np.allclose(planar_part(found), planar_part(TURN), atol=0.12)


def test_maps_of_two_homes_are_not_one() -> None:
    assert motion_between(marks(HOME), marks(OTHER)) is None


@pytest.mark.parametrize(
    "places",
    [
        pytest.param([("chair", 1.0, 1.0), ("chair", -1.0, -1.0), ("chair", 1.0, -1.0), ("chair", -1.0, 1.0)],
                     id="the same from four sides"),
        pytest.param([("table", 0.0, 0.0), ("sofa", 2.0, 0.0)], id="two pieces alone"),
        pytest.param([], id="nothing"),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_refused(places: list[tuple[str, float, float]]) -> None:
    few = [Landmark(label=label, x=x, y=y) for label, x, y in places]
    assert motion_between(few, few) is None


def test_memory_moves_into_a_map_made_anew_and_has_to_see_its_objects_again(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    world = open_world(HOME, path, WorldModelSettings(), Thesaurus.load())
    mug = ObjectRecord("mug_1", "mug", Pose((2.3, 4.15, 0.95)), (0.08, 0.08, 0.1), votes={"mug": 1.0})
    world.memory.touch(mug)
    world.memory.close()
    again = open_world(moved(HOME, TURN), path, WorldModelSettings(map_epoch=1), Thesaurus.load())
    record = again.memory.get("mug_1")
    assert record.pose.position[:2] == pytest.approx((TURN @ (2.3, 4.15, 0.95, 1.0))[:2], abs=0.03)
    assert (record.map_epoch, record.is_missing) == (1, True)
    assert again.resolve(ResolveQuery("mug")).status is ResolveStatus.FOUND
    assert again.recall(RecallQuery("mug"), 1.0).matches
    again.memory.close()


def test_memory_of_another_home_stays_in_the_old_map(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    world = open_world(HOME, path, WorldModelSettings(), Thesaurus.load())
    world.memory.touch(ObjectRecord("mug_1", "mug", Pose((2.3, 4.15, 0.95)), votes={"mug": 1.0}))
    world.memory.close()
    again = open_world(OTHER, path, WorldModelSettings(map_epoch=1), Thesaurus.load())
    assert again.memory.get("mug_1").map_epoch == 0
    assert again.resolve(ResolveQuery("mug")).status is ResolveStatus.NOT_FOUND
    again.memory.close()
