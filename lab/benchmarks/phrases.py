"""Three hundred phrases in rendered homes, answered by a detector of fixed classes.

A phrase names a visible object by a synonym, a colour, a rank or a relation, or something unknown or absent.
Relations are true by the poses of the simulation; phrases about borderline cases are not asked. Boxes of the
truth (`truth`) bound what the words and the geometry allow. DETECTOR=folder of an rSkill adds the detector;
DEPTH=0 takes the depth away; PHRASES=n: phrases, else 300. SPLIT=val asks in homes of validation, and
THRESHOLDS=a,b adds the detector with other thresholds: by these the shipped threshold is chosen.

right: the best box is that of a meant object, or nothing was meant and nothing was found. refused: BAD_QUERY
or NOT_IN_VOCABULARY. missed: NOT_IN_VIEW though it is there. wrong: the best box is of something else.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection, LocateResult, LocateStatus
from openral_core.rskills import DetectorManifest, Mode, Sensor
from openral_core.text import Thesaurus
from openral_core.text.thesaurus import shipped_entries
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.detector import Detector, find_detector
from openral_perception_ros.engines import EngineFrame, LoadOptions, engine_loader
from openral_perception_ros.engines.colours import ColourGrounding
from openral_perception_ros.engines.vocabulary import VocabularyDocument, load_vocabulary
from openral_perception_ros.inference.grounding import PhraseGrounding
from openral_perception_ros.inference.scheduler import DetectionResult
from openral_perception_ros.locate_errors import LocateError
from openral_perception_ros.locate_request import RequestValidator
from openral_ros.conversions.images import image_message
from openral_sim.planning.inverse_kinematics import IkSolver
from openral_sim.procedural.home import sample_home
from openral_sim.procedural.object_placement import ObjectChoice
from openral_sim.robot import load_sim_robot
from openral_sim.world import SimWorldModel
from openral_training.data.annotation import Annotation
from openral_training.data.arrangement import ArrangedHome
from openral_training.data.home_renderer import MISPLACED, HomeCamera, LabelledImage, RenderSettings
from openral_training.data.labels import CATEGORIES
from openral_training.data.splits import load_plan
from openral_training.data.viewpoints import ViewpointSampler

LONG = True
IMAGES, ARRANGEMENTS = 24, 3
"""Images of each home, and how often it is rearranged between them [count]."""
LEAST_SIDE, LEAST_VISIBLE = 16.0, 0.4
"""Short side [px] and visible share [1] of objects that phrases name."""
NEXT_TO, NOT_NEXT_TO = 0.30, 0.80
"""Distance of centres [m] up to which objects are next to each other, and from which they are not."""
DEEPER = 0.2
"""Difference of depths [m] from which an object is behind another."""
COLOURS = ("red", "yellow", "green", "blue", "white")
UNKNOWN = (
    "unicorn",
    "violin",
    "hammer",
    "umbrella",
    "guitar",
    "helmet",
    "toaster",
    "ladder",
    "bicycle",
    "drum",
)
ODD = ("{} with a handle", "{} between the bowl and the plate", "transparent {}", "broken {}", "wooden {}")
MATCH = 0.5
SPLIT = os.environ.get("SPLIT", "test")
Ground = Callable[[LabelledImage, tuple[str, ...]], list[Detection]]


@dataclass(frozen=True)
class Phrase:
    """A phrase of one family and the boxes that it means, none if nothing in the image is meant."""

    family: str
    text: str
    meant: tuple[Box, ...] = ()


@dataclass(frozen=True)
class Thing:
    """A visible object: its name, colour ("" if it has none in its name), box, centre [m] and support."""

    name: str
    colour: str
    box: Box
    centre: NDArray[np.float64]
    support: str
    clear: bool


@dataclass(frozen=True)
class View:
    """An image with what it shows; ``present`` includes objects too small or hidden to be asked for."""

    image: LabelledImage
    things: tuple[Thing, ...]
    present: frozenset[str]


def run() -> list[dict[str, object]]:
    """One row per detector and family."""
    os.environ["LP_NUM_THREADS"] = "1"
    asked = list(phrases(int(os.environ.get("PHRASES", "300"))))
    folder, rows = os.environ.get("DETECTOR"), []
    tried: list[tuple[str, Validated]] = [("truth", truth_locator())]
    tried += detector_locators(Path(folder)) if folder else []
    for name, locator in tried:
        outcomes = [(phrase.family, judged(locator, view, phrase)) for view, phrase in asked]
        for family in (*dict.fromkeys(family for family, _ in outcomes), "all"):
            chosen = Counter(outcome for each, outcome in outcomes if family in (each, "all"))
            count = sum(chosen.values())
            row: dict[str, object] = {"detector": name, "family": family, "phrases": count}
            shares = {
                f"{kind} [%]": 100 * chosen[kind] / count for kind in ("right", "refused", "missed", "wrong")
            }
            rows.append({**row, **{key: round(value, 1) for key, value in shares.items()}})
    return rows


def phrases(count: int) -> Iterator[tuple[View, Phrase]]:
    """Yield phrases of all families in turn, each about an image of its own."""
    families = (synonyms, coloured, related, unknown, absent)
    made = 0
    for seed in load_plan().splits[SPLIT].seeds:
        rng = np.random.default_rng([seed, 7])
        for view in views(seed, rng):
            found = list(families[made % len(families)](view, rng))
            if found:
                yield view, found[int(rng.integers(len(found)))]
                made += 1
            if made == count:
                return


def views(seed: int, rng: np.random.Generator) -> Iterator[View]:
    """Images of a home with the objects that they show."""
    plan = load_plan()
    scene = sample_home(seed, choice=ObjectChoice(plan.without(SPLIT), MISPLACED))
    home = ArrangedHome(SimWorldModel.load(scene, seed, load_sim_robot()))
    camera, solver = HomeCamera(home, RenderSettings(depth=True), rng), IkSolver(load_sim_robot())
    try:
        for _ in range(ARRANGEMENTS):
            home.rearrange(rng)
            viewpoints = ViewpointSampler(home, solver, rng)
            for _ in range(IMAGES // ARRANGEMENTS):
                image = camera.photograph(viewpoints, rng)
                yield View(image, tuple(things_in(image, home)), frozenset(map(name_of, image.annotations)))
    finally:
        camera.close()


def name_of(annotation: Annotation) -> str:
    """Name of an annotation's category."""
    return {each.id: each.name for each in CATEGORIES.values()}[annotation.category_id]


def things_in(image: LabelledImage, home: ArrangedHome) -> Iterator[Thing]:
    """Objects and furniture of an image, unless they are to be ignored."""
    for each in image.annotations:
        item = home.world.objects.get(each.entity)
        x, y, width, height = each.bbox
        clear = min(width, height) >= LEAST_SIDE and each.visible_share >= LEAST_VISIBLE and not each.ignore
        colour = each.entity.split("_")[0]
        centre = home.position(item) if item else np.full(3, np.nan)
        support = support_of(home, item.body, centre) if item else ""
        yield Thing(
            name_of(each),
            colour if colour in COLOURS else "",
            Box(x, y, x + width, y + height),
            centre,
            support,
            clear,
        )


def support_of(home: ArrangedHome, body: str, centre: NDArray[np.float64]) -> str:
    """Name of the furniture under an object, "" if something else is."""
    model, geom = home.world.model, np.zeros(1, np.int32)
    down = np.array([0.0, 0.0, -1.0])
    mujoco.mj_ray(model, home.world.data, centre, down, None, 1, model.body(body).id, geom)
    parts = model.body(int(model.geom_bodyid[geom[0]])).name.split("/") if geom[0] >= 0 else [""]
    fixture = home.world.furniture.get(parts[1]) if parts[0] == "furniture" else None
    return CATEGORIES[fixture.kind].name if fixture else ""


def named(view: View) -> dict[str, list[Thing]]:
    """Small objects by name, of names all of which are clearly visible."""
    by_name: dict[str, list[Thing]] = {}
    for thing in view.things:
        if np.isfinite(thing.centre).all():
            by_name.setdefault(thing.name, []).append(thing)
    return {name: found for name, found in by_name.items() if all(each.clear for each in found)}


def synonyms(view: View, rng: np.random.Generator) -> Iterator[Phrase]:
    """Objects by their name or one of its synonyms."""
    for name, found in named(view).items():
        entry = shipped_entries().things.get(name)
        words = (name, f"the {name}", *(entry.synonyms if entry else ()))
        yield Phrase("synonyms", str(rng.choice(words)), tuple(each.box for each in found))


def coloured(view: View, rng: np.random.Generator) -> Iterator[Phrase]:
    """Objects with their colour, or with another one."""
    for name, found in named(view).items():
        if all(each.colour for each in found):
            colour = str(rng.choice(COLOURS)) if rng.random() < 0.3 else found[0].colour
            yield Phrase("colours", f"{colour} {name}", tuple(e.box for e in found if e.colour == colour))


def unknown(view: View, rng: np.random.Generator) -> Iterator[Phrase]:
    """Words without a class, and descriptions that boxes cannot show."""
    odd = str(rng.choice(ODD)).format(str(rng.choice([*named(view), "mug"])))
    yield Phrase("unknown", str(rng.choice(UNKNOWN)) if rng.random() < 0.7 else odd)


def absent(view: View, rng: np.random.Generator) -> Iterator[Phrase]:
    """Known objects that are not in the image."""
    held_out = {CATEGORIES[kind].name for kind in load_plan().held_out}
    kinds = {each.name for each in CATEGORIES.values() if each.group == "object"} - held_out
    thesaurus = Thesaurus.load()
    free = sorted(
        kind for kind in kinds if not any(thesaurus.relation(kind, each).is_hit for each in view.present)
    )
    yield Phrase("absent", str(rng.choice(free)))


def related(view: View, rng: np.random.Generator) -> Iterator[Phrase]:
    """Objects by their rank or by a relation."""
    by_name = named(view)
    T_camera_map = np.asarray(np.linalg.inv(view.image.camera.T_map_camera), np.float64)
    for name, found in by_name.items():
        yield from ranks(name, found, T_camera_map, rng)
        for support in {each.support for each in found} - {""}:
            clear = [each for each in view.things if each.name == support]
            if len(clear) == 1 and clear[0].clear and not any(each.support == "" for each in found):
                meant = tuple(each.box for each in found if each.support == support)
                yield Phrase("relations", f"{name} on the {support}", meant)
        for other, anchors in by_name.items():
            if other != name and len(anchors) == 1:
                yield from pairs(name, found, anchors[0], T_camera_map)


def ranks(
    name: str, found: Sequence[Thing], T_camera_map: NDArray[np.float64], rng: np.random.Generator
) -> Iterator[Phrase]:
    """Ranks among objects of one kind, which all have the same size."""
    if len(found) == 1:
        return
    yield Phrase("relations", f"{rng.choice(('largest', 'small'))} {name}")
    across = sorted(found, key=lambda each: each.box.center[0])
    if across[1].box.x_min > across[0].box.x_max:
        yield Phrase("relations", f"{name} on the left", (across[0].box,))
    if across[-1].box.x_min > across[-2].box.x_max:
        yield Phrase("relations", f"right {name}", (across[-1].box,))
    near = sorted(found, key=lambda each: depth_of(each, T_camera_map))
    if depth_of(near[1], T_camera_map) - depth_of(near[0], T_camera_map) > DEEPER:
        yield Phrase("relations", f"nearest {name}", (near[0].box,))


def depth_of(thing: Thing, T_camera_map: NDArray[np.float64]) -> float:
    """Distance of an object along the optical axis [m]."""
    return float((T_camera_map @ np.append(thing.centre, 1.0))[2])


def pairs(
    name: str, found: Sequence[Thing], anchor: Thing, T_camera_map: NDArray[np.float64]
) -> Iterator[Phrase]:
    """Relations to one other object, if they clearly hold or clearly do not for all of a kind."""
    distances = [float(np.linalg.norm(each.centre - anchor.centre)) for each in found]
    if all(not NEXT_TO < distance < NOT_NEXT_TO for distance in distances):
        near = tuple(each.box for each, distance in zip(found, distances, strict=True) if distance <= NEXT_TO)
        yield Phrase("relations", f"{name} next to the {anchor.name}", near)
    if all(each.box.x_max < anchor.box.x_min or each.box.x_min > anchor.box.x_max for each in found):
        left = tuple(each.box for each in found if each.box.x_max < anchor.box.x_min)
        yield Phrase("relations", f"{name} left of the {anchor.name}", left)
    overlap = [min(e.box.x_max, anchor.box.x_max) - max(e.box.x_min, anchor.box.x_min) for e in found]
    deeper = [depth_of(each, T_camera_map) - depth_of(anchor, T_camera_map) for each in found]
    if all(
        shared > 0 and abs(difference) > DEEPER for shared, difference in zip(overlap, deeper, strict=True)
    ):
        behind = tuple(each.box for each, difference in zip(found, deeper, strict=True) if difference > 0)
        yield Phrase("relations", f"{name} behind the {anchor.name}", behind)


Validated = tuple[RequestValidator, Ground]


def on_demand(manifest: DetectorManifest) -> DetectorManifest:
    """A detector as an on-demand locator that measures colours and judges relations."""
    sensors = (Sensor.RGB, Sensor.DEPTH) if os.environ.get("DEPTH", "1") != "0" else (Sensor.RGB,)
    words = manifest.vocabulary.model_copy(update={"colours": True, "relations": True})
    return manifest.model_copy(update={"mode": Mode.ON_DEMAND, "vocabulary": words, "sensors": sensors})


def detector_locators(folder: Path) -> list[tuple[str, Validated]]:
    """The rSkill of a folder, with its own threshold and with those to be tried."""
    manifest, folder = find_detector(str(folder), ())
    others = [float(each) for each in os.environ.get("THRESHOLDS", "").split(",") if each]
    named = [(folder.name, manifest.threshold), *((f"{folder.name} {each}", each) for each in others)]
    return [(name, detector_locator(manifest, folder, threshold)) for name, threshold in named]


def detector_locator(manifest: DetectorManifest, folder: Path, threshold: float) -> Validated:
    """An rSkill whose detections score above a threshold."""
    manifest = on_demand(manifest.model_copy(update={"threshold": threshold}))
    grounding = PhraseGrounding(engine_loader(manifest.engine)(manifest, folder, LoadOptions()), manifest)
    vocabulary = load_vocabulary(manifest, folder)
    assert vocabulary is not None

    def ground(image: LabelledImage, terms: tuple[str, ...]) -> list[Detection]:
        return grounding.detect(EngineFrame({"rgb": image.rgb}, "head", 0), terms)

    return RequestValidator(Detector(manifest, folder, vocabulary, ("head",)), 5.0), ground


def truth_locator() -> Validated:
    """The annotations as detections; borderline ones too, as a good detector would find many of them."""
    labels: dict[str, tuple[str, ...]] = {each.name: () for each in CATEGORIES.values()}
    manifest = DetectorManifest.model_validate(
        {
            "kind": "detector",
            "id": "truth",
            "description": "Boxes of the annotations.",
            "engine": "rtdetr_onnx",
            "mode": "on_demand",
            "vocabulary": {"kind": "closed", "labels": list(labels)},
            "licence": {"name": "Apache-2.0", "commercial_use": True},
            "memory_mb": 1.0,
            "latency": 0.1,
        }
    )
    detector = Detector(on_demand(manifest), Path(), VocabularyDocument(labels=labels), ("head",))
    colours = ColourGrounding(detector.labels, Thesaurus.load())

    def ground(image: LabelledImage, terms: tuple[str, ...]) -> list[Detection]:
        return colours.ground(map_annotations(LEAST_SIDE / 2, image), terms, image.rgb)

    return RequestValidator(detector, 5.0), ground


def map_annotations(least_side: float, image: LabelledImage) -> list[Detection]:
    """Convert annotations to detections, largest first."""
    kept = [each for each in image.annotations if min(each.bbox[2:]) >= least_side and not each.ignore]
    return [
        Detection(Box(x, y, x + width, y + height), name_of(each), 0.9)
        for each in sorted(kept, key=lambda each: -each.area)
        for x, y, width, height in (each.bbox,)
    ]


def judged(validated: Validated, view: View, phrase: Phrase) -> str:
    """Outcome of a phrase: right, refused, missed or wrong."""
    result = answer(validated, view.image, phrase.text)
    if result is None or result.status is LocateStatus.BAD_QUERY:
        return "right" if phrase.family == "unknown" else "refused"
    if result.status is LocateStatus.NOT_IN_VIEW:
        return "missed" if phrase.meant else "right"
    best = max(result.detections, key=lambda each: each.score)
    return "right" if any(best.box.iou(box) >= MATCH for box in phrase.meant) else "wrong"


def answer(validated: Validated, image: LabelledImage, text: str) -> LocateResult | None:
    """Answer of a locator; None if it refuses the words."""
    validator, ground = validated
    try:
        query = validator.parse(text, "", "", 0.0)
    except LocateError:
        return None
    found = ground(image, query.phrases)
    assert image.depth is not None
    images: dict[str, object] = {}
    if os.environ.get("DEPTH", "1") != "0":
        images["depth"] = image_message(image.depth, "32FC1", 0.0, "head")
    image_set = ImageSet("head", 0, "head", 0.0, images)
    return validator.build_response(query, DetectionResult(image_set, tuple(found), 0.0, 0.0), 0.0)
