"""Training of the local model: missions are drawn, trees share prompts, files go on."""

import json
from pathlib import Path

import pytest
from small_language_model import write_language_model
from torch_environments import TRAINING, in_environment, needs

from openral_reasoner.compact.choices import FORMAT
from openral_training.local.tokens import LineEncoder
from openral_training.local.weights import read_weights
from openral_training.planner.drawing import draw_missions
from openral_training.planner.missions import play
from openral_training.planner.samples import TokenTree, UnusableMissions, read_missions, tree_of

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
    samples = list(next(play(seed) for seed in DRAWN if len(play(seed).samples) > 2).samples)
    tree = tree_of(samples, encoder)
    visible = tree.visible()
    for sample in samples:
        path = encoder.prompt(sample.prompt)
        node = -1
        for token in path:
            node = tree._children[node, token]
        assert [tree.tokens[each] for each in visible[node].nonzero()[0]] == path
        assert tree.depths[node] == len(path) - 1
    assert len(tree.tokens) < sum(len(encoder.prompt(each.prompt)) for each in samples)


def test_the_right_token_stands_first_and_a_forced_one_is_no_choice() -> None:
    tree = TokenTree()
    tree.add([1, 2], [(5, 6, 0), (5, 7, 0), (8, 0)], right=1)
    assert tree.choices == [(1, [5, 8]), (2, [7, 6])]
    assert json.dumps(tree.tokens) == "[1, 2, 5, 7]"


@needs(TRAINING)
@pytest.mark.slow
@pytest.mark.xdist_group("torch")
def test_a_resumed_training_has_the_same_weights_bit_for_bit(tmp_path: Path) -> None:
    write_language_model(tmp_path / "small.gguf")
    draw_missions(tmp_path / "missions.jsonl", 1000, 8, print)
    script = Path(__file__).with_name("planner_torch_runs.py")
    outcome = json.loads(in_environment(str(script), str(tmp_path), name=TRAINING))
    assert outcome["ended"] == [True, False, True]
    assert outcome["same"]
    assert outcome["loss"][1] < 0.7 * outcome["loss"][0]
    assert "rank" in outcome["refused"]
    assert outcome["matrices"] == 14
