from pathlib import Path

from openral_sim.scene.scene import Scene, load_scene
from openral_sim.scene.scene_files import find_scene, write_home
from openral_training.homes.home import sample_home


def test_a_seed_always_gives_the_same_home_and_another_seed_another() -> None:
    assert sample_home(3, 2) == sample_home(3, 2)
    assert sample_home(3, 2) != sample_home(4, 2)


def test_what_is_written_is_read_back_the_same(sampled_home: Scene, tmp_path: Path) -> None:
    path = write_home(sampled_home, tmp_path)
    assert load_scene(path) == sampled_home
    assert (tmp_path / "whereabouts" / path.name).is_file()


def test_a_scene_is_found_by_name_by_file_and_by_seed(tmp_path: Path) -> None:
    scene = find_scene("generated:3:2", tmp_path)
    path = write_home(scene, tmp_path)
    assert find_scene("generated_3", tmp_path) == find_scene(str(path), tmp_path) == scene


def test_every_lamp_has_a_switch_and_every_television_a_button_under_names_of_their_own() -> None:
    for seed in range(4):
        home = sample_home(seed).home
        parts = [(f, part) for f in home.fixtures for part in f.appliances]
        kinds = {f.id: part.control.kind for f, part in parts}
        assert kinds == {f.id: "switch" for f in home.fixtures if f.kind == "lamp"} | {
            f.id: "button" for f in home.fixtures if f.kind == "sideboard"
        }
        names = [part.name for _, part in parts]
        assert len(set(names)) == len(names)
        assert all(part.id == f.id for f, part in parts if f.kind == "lamp")
