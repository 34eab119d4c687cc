"""Training of the local model: missions are drawn, trees share prompts, files go on."""

import json
from pathlib import Path

import pytest
from small_language_model import write_language_model
from torch_environments import TRAINING, in_environment, needs

from openral_core.missions import MissionState
from openral_reasoner.compact.choices import FORMAT
from openral_training.local.tokens import LineEncoder
from openral_training.local.weights import read_weights
from openral_training.planner.drawing import draw_missions
from openral_training.planner.missions import attempt, play
from openral_training.planner.samples import Sample, TokenTree, UnusableMissions, read_missions, trees_of

DRAWN = range(1000, 2200)


def test_what_is_drawn_can_be_said_and_a_file_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    draw_missions(whole, 1000, 6, print)
    draw_missions(cut, 1000, 3, print)
    cut.write_text(cut.read_text() + '{"seed": 1003, "go')
    draw_missions(cut, 1000, 6, print)
    assert cut.read_bytes() == whole.read_bytes()
    for samples in read_missions(whole, FORMAT):
        assert all(0 <= each.right < len(each.lines) and each.prompt.endswith("\n>") for each in samples)
    with pytest.raises(UnusableMissions, match="format"):
        list(read_missions(whole, FORMAT + 1))


def test_a_tree_has_each_decision_as_a_branch_of_what_it_shares(tmp_path: Path) -> None:
    encoder = LineEncoder(read_weights(write_language_model(tmp_path / "small.gguf")).tokenizer)
    samples = list(play(10_294).samples)
    (tree,) = trees_of(samples, encoder, 60_000)
    visible = tree.visible()
    for sample in samples:
        path = encoder.prompt(sample.prompt)
        node = -1
        for token in path:
            node = tree._children[node, token]
        assert [tree.tokens[each] for each in visible[node].nonzero()[0]] == path
        assert tree.depths[node] == len(path) - 1
    assert len(tree.tokens) < sum(len(encoder.prompt(each.prompt)) for each in samples)


def test_a_long_mission_is_cut_into_trees_that_hold_every_decision(tmp_path: Path) -> None:
    encoder = LineEncoder(read_weights(write_language_model(tmp_path / "small.gguf")).tokenizer)
    samples = [Sample(f"Room kitchen\n> look shelf_{n}\nok\n>", ("look a", "done"), 0) for n in range(9)]
    (whole,) = trees_of(samples, encoder, 60_000)
    longest = len(whole.tokens) - 1
    parts = trees_of(samples, encoder, longest)
    assert len(parts) > 1
    assert all(len(each.tokens) <= longest for each in parts)
    assert sum(len(each.choices) for each in parts) == len(whole.choices)
    assert trees_of(samples, encoder, 4) == []


def test_needless_queries_are_left_out_and_a_stray_call_is_recovered_from_but_not_learnt() -> None:
    fetched, astray = play(10_008), play(10_294)
    assert (fetched.way, astray.way) == ("planner", "stray")
    first = [each.lines[each.right].split()[0] for each in fetched.samples]
    assert first == ["recall", "grasp", "handover", "done"]
    assert astray.state is MissionState.SUCCEEDED
    calls = sum(line.startswith("> ") for line in astray.samples[-1].prompt.split("\n"))
    assert len(astray.samples) < calls + 1


def test_where_the_planner_gives_up_a_way_is_searched_that_the_evidence_proves() -> None:
    planned, searched = attempt(10_611, learns=True), play(10_611)
    assert planned.state is MissionState.HANDED_OVER or planned.unsayable
    assert searched.way == "search"
    assert searched.state is MissionState.SUCCEEDED
    assert searched.samples


def test_the_right_token_stands_first_and_a_forced_one_is_no_choice() -> None:
    tree = TokenTree()
    tree.add([1, 2], [(5, 6, 0), (5, 7, 0), (8, 0)], right=1)
    assert tree.choices == [(1, [5, 8]), (2, [7, 6])]
    assert json.dumps(tree.tokens) == "[1, 2, 5, 7]"


@needs(TRAINING)
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.xdist_group("torch")
def test_a_resumed_training_has_the_same_weights_bit_for_bit(tmp_path: Path) -> None:
    write_language_model(tmp_path / "small.gguf")
    draw_missions(tmp_path / "missions.jsonl", 1000, 8, print)
    script = Path(__file__).with_name("planner_torch_runs.py")
    outcome = json.loads(in_environment(str(script), str(tmp_path), name=TRAINING, patience=800.0))
    assert outcome["ended"] == [True, False, True]
    assert outcome["same"]
    assert outcome["goes_on"]
    assert outcome["loss"][1] < 0.7 * outcome["loss"][0]
    assert "rank" in outcome["refused"]
    assert outcome["matrices"] == 14
