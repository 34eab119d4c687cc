"""Recall from a hand-made memory: ranking, filters, near misses and refusals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence, RecallQuery, RecallResult, RecallStatus
from openral_core.text import TermRelation, Thesaurus, UnreadableText
from openral_world_state.queries.recall import MatchBuilder, RecallRequestHandler, candidates_of, find_matches
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import StaticMap

THESAURUS = Thesaurus.load()
NOW = 100.0


def mug(name: str, **more: object) -> ObjectRecord:
    defaults: dict[str, object] = {"label": "mug", "pose": Pose(), "votes": {"mug": 1.0}, "last_seen": 50.0}
    return ObjectRecord(name, **{**defaults, **more})  # type: ignore[arg-type]


def memory_of(*records: ObjectRecord) -> SpatialMemory:
    memory = SpatialMemory(None, THESAURUS)
    for record in records:
        memory.touch(record)
    return memory


def recall(memory: SpatialMemory, query: RecallQuery) -> RecallResult:
    """Recall in a home of two rooms, divided at x = 0."""
    handler = RecallRequestHandler(
        memory,
        map_epoch=0,
        describe=MatchBuilder(StaticMap(), None, 0.7).match,
        room_of=lambda record: "east" if record.pose.position[0] > 0.0 else "west",
        find_room=lambda name: name if name in ("east", "west") else "",
    )
    return handler.handle(query, NOW)


def ids(result: RecallResult) -> list[str]:
    return [match.node_id for match in result.matches]


@given(
    st.lists(
        st.tuples(st.floats(0.0, 1.0), st.floats(0.0, NOW), st.sampled_from(Presence)),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 30),
)
def test_the_best_are_those_that_sorting_all_candidates_gives(
    seen: list[tuple[float, float, Presence]], count: int
) -> None:
    memory = memory_of(
        *(
            mug(f"mug_{number}", confidence=confidence, last_seen=stamp, presence=presence)
            for number, (confidence, stamp, presence) in enumerate(seen)
        )
    )
    found = find_matches(memory, "mug")
    everything = found.best(len(seen))
    assert len(everything) == len(seen)
    keys = [(-candidate.score, -candidate.record.last_seen) for candidate in everything]
    assert keys == sorted(keys)
    assert found.best(count) == everything[:count]


def test_a_record_with_several_matching_labels_is_one_candidate() -> None:
    memory = memory_of(mug("mug_1", votes={"mug": 2.0, "coffee mug": 1.5, "cup": 1.0}))
    assert [candidate.record.id for candidate in find_matches(memory, "mug").best(5)] == ["mug_1"]


def test_a_label_with_few_votes_is_a_misdetection() -> None:
    memory = memory_of(mug("mug_1", votes={"mug": 10.0, "lamp": 1.0}))
    assert not find_matches(memory, "lamp").best(5)
    assert recall(memory, RecallQuery("lamp")).status is RecallStatus.NOT_IN_MEMORY


def test_no_labels_have_no_candidates() -> None:
    assert not candidates_of(memory_of(mug("mug_1")), []).best(5)


@pytest.mark.parametrize(
    ("confidences", "status"),
    [((0.9,), RecallStatus.FOUND), ((0.9, 0.85), RecallStatus.AMBIGUOUS), ((0.9, 0.5), RecallStatus.FOUND)],
)
def test_objects_of_about_the_same_score_are_ambiguous(
    confidences: tuple[float, ...], status: RecallStatus
) -> None:
    records = (mug(f"mug_{number}", confidence=value) for number, value in enumerate(confidences))
    result = recall(memory_of(*records), RecallQuery("mug"))
    assert (result.status, ids(result)) == (status, [f"mug_{n}" for n in range(len(confidences))])


def test_stale_objects_are_returned_only_if_none_is_present() -> None:
    stale = mug("mug_1", presence=Presence.STALE)
    assert ids(recall(memory_of(stale, mug("mug_2")), RecallQuery("mug"))) == ["mug_2"]
    alone = recall(memory_of(stale), RecallQuery("mug"))
    assert (alone.status, ids(alone)) == (RecallStatus.ONLY_STALE, ["mug_1"])


def test_an_object_that_is_gone_is_a_near_miss() -> None:
    result = recall(memory_of(mug("mug_1", presence=Presence.GONE)), RecallQuery("mug"))
    assert (result.status, ids(result)) == (RecallStatus.NOT_IN_MEMORY, [])
    assert [miss.node_id for miss in result.near_misses] == ["mug_1"]


def test_an_object_of_another_map_is_neither_match_nor_near_miss() -> None:
    result = recall(memory_of(mug("mug_1", map_epoch=1)), RecallQuery("mug"))
    assert (result.matches, result.near_misses) == ((), ())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (RecallQuery("mug", near=(1.0, 0.0, 0.0), radius=0.5), ["mug_1"]),
        (RecallQuery("mug", room="west"), ["mug_2"]),
        (RecallQuery("mug", max_age=15.0), ["mug_2"]),
        (RecallQuery("mug", limit=1), ["mug_2"]),
    ],
)
def test_each_filter_excludes_the_other_object(query: RecallQuery, expected: list[str]) -> None:
    east = mug("mug_1", pose=Pose((1.0, 0.0, 0.0)), last_seen=50.0)
    west = mug("mug_2", pose=Pose((-1.0, 0.0, 0.0)), last_seen=90.0)
    assert ids(recall(memory_of(east, west), query)) == expected


def test_an_object_stamped_by_a_clock_ahead_has_no_known_age() -> None:
    memory = memory_of(mug("mug_1", last_seen=NOW + 3600.0))
    assert not recall(memory, RecallQuery("mug", max_age=10.0)).matches
    assert ids(recall(memory, RecallQuery("mug"))) == ["mug_1"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (RecallQuery("mug", limit=0), "invalid limit 0"),
        (RecallQuery("mug", limit=1001), "must be from 1 to 1000"),
        (RecallQuery("mug", near=(math.nan, 0.0, 0.0), radius=1.0), "invalid near"),
        (RecallQuery("mug", room="attic"), "unknown room 'attic'"),
        (RecallQuery("?"), "'?'"),
    ],
)
def test_an_invalid_query_is_refused_with_the_reason(query: RecallQuery, words: str) -> None:
    result = recall(memory_of(mug("mug_1")), query)
    assert (result.status, ids(result)) == (RecallStatus.BAD_QUERY, [])
    assert words in result.message


def test_a_text_that_names_nothing_is_unreadable() -> None:
    with pytest.raises(UnreadableText):
        find_matches(memory_of(), "!!")


def test_a_match_explains_the_label_that_matched() -> None:
    memory = memory_of(mug("mug_1", votes={"mug": 2.0, "vase": 1.5}))
    (match,) = recall(memory, RecallQuery("vase")).matches
    assert "mug, also seen as vase: same label" in match.why
    assert find_matches(memory, "vase").best(1)[0].relation is TermRelation.EQUAL


def test_an_empty_memory_says_so() -> None:
    assert recall(memory_of(), RecallQuery("mug")).message == "'mug' is not in memory. Memory is empty."


def test_a_record_is_recalled_by_its_id_whatever_it_is_called() -> None:
    memory = memory_of(
        mug("mug_1", confidence=1.0), mug("mug_2", confidence=0.1, votes={"jar": 1.0}), mug("mug_3")
    )
    for query in ("", "mug", "teapot"):
        result = recall(memory, RecallQuery(query, node_id="mug_2"))
        assert (result.status, ids(result)) == (RecallStatus.FOUND, ["mug_2"])


@pytest.mark.parametrize(
    ("name", "status", "matches", "near"),
    [
        ("stale", RecallStatus.ONLY_STALE, ["stale"], []),
        ("gone", RecallStatus.NOT_IN_MEMORY, [], ["gone"]),
        ("elsewhere", RecallStatus.NOT_IN_MEMORY, [], []),
        ("forgotten", RecallStatus.NOT_IN_MEMORY, [], []),
    ],
)
def test_a_record_that_is_not_there_is_replaced_by_no_other(
    name: str, status: RecallStatus, matches: list[str], near: list[str]
) -> None:
    memory = memory_of(
        mug("here"),
        mug("stale", presence=Presence.STALE),
        mug("gone", presence=Presence.GONE),
        mug("elsewhere", map_epoch=1),
    )
    result = recall(memory, RecallQuery("mug", node_id=name))
    assert (result.status, ids(result)) == (status, matches)
    assert [match.node_id for match in result.near_misses] == near
    assert name in result.message
