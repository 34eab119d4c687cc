"""Derive the kinds of household nouns from WordNet.

    python3 lab/household_nouns.py /usr/share/wordnet

reads the database files of WordNet 3.0 (Debian package ``wordnet-base``; format: wndb(5WN)) and writes
``nouns.yaml`` of the placement prior. A noun takes the kind of the nearest listed synset above its senses.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

KINDS: Mapping[str, tuple[str, ...]] = {
    "food": ("food:1", "food:2"),
    "perishable food": (
        "dairy_product:1",
        "meat:1",
        "seafood:1",
        "egg:2",
        "salad:1",
        "cake:3",
        "pie:1",
        "tofu:1",
    ),
    "frozen food": ("frozen_dessert:1", "frozen_food:1"),
    "vegetable": ("vegetable:1",),
    "fruit": ("edible_fruit:1",),
    "bread": ("bread:1", "baked_goods:1", "pastry:2"),
    "dry food": (
        "pasta:2",
        "flour:1",
        "grain:2",
        "cereal:3",
        "nut:1",
        "biscuit:2",
        "cookie:1",
        "cracker:1",
        "snack_food:1",
        "candy:1",
        "legume:3",
        "sweetening:1",
        "soup:1",
        "leaven:1",
        "coffee_bean:1",
        "coffee:1",
        "tea:1",
    ),
    "condiment": ("condiment:1", "sauce:1", "spread:5"),
    "spice": ("flavorer:1", "spice:2", "herb:2", "vegetable_oil:1"),
    "cooked meal": ("dish:2", "sandwich:1", "pizza:1"),
    "drink": ("beverage:1",),
    "alcohol": ("alcohol:1",),
    "beer": ("beer:1",),
    "pet food": ("pet_food:1",),
    "kitchenware": ("kitchen_utensil:1", "kitchenware:1"),
    "cutlery": ("cutlery:2",),
    "tableware": ("tableware:1", "bowl:3", "plate:4"),
    "drinkware": ("drinking_vessel:1", "glass:2", "cup:1", "mug:4"),
    "cookware": ("cooking_utensil:1", "pot:1", "pan:1"),
    "kitchen appliance": ("kitchen_appliance:1",),
    "toiletry": ("toiletry:1",),
    "make-up": ("cosmetic:1", "makeup:1", "perfume:2", "hairdressing:1", "comb:1", "brush:2", "lotion:2"),
    "tooth care": ("dentifrice:1", "toothbrush:1", "razor:1", "mouthwash:1", "dental_floss:1"),
    "bathing": ("shampoo:1", "bath_salts:1"),
    "soap": ("soap:1",),
    "medicine": ("medicine:2", "bandage:1"),
    "clothing": ("clothing:1", "garment:1"),
    "underwear": ("hosiery:1", "undergarment:1", "nightwear:1"),
    "outerwear": ("coat:1", "headdress:1", "glove:2", "scarf:1", "overgarment:1", "cloak:2"),
    "footwear": ("footwear:1", "footwear:2"),
    "bag": ("bag:1", "bag:4", "bag:6", "luggage:1"),
    "jewellery": ("jewelry:1", "watch:1", "gem:5"),
    "eyeglasses": ("spectacles:1", "binoculars:1", "contact:8"),
    "bed linen": ("bedclothes:1", "bed_linen:1", "linen:3"),
    "cushion": ("cushion:3",),
    "towel": ("towel:1", "bath_linen:1", "washcloth:1"),
    "table linen": ("table_linen:1", "doily:1"),
    "stationery": (
        "writing_implement:1",
        "stationery:1",
        "paper:1",
        "eraser:1",
        "folder:2",
        "adhesive:1",
        "clip:4",
    ),
    "book": ("book:2", "reference_book:1", "textbook:1", "novel:2"),
    "periodical": ("periodical:1", "newspaper:3", "magazine:2", "letter:1", "card:1"),
    "electronics": ("electronic_equipment:1", "electronic_device:1", "camera:1", "recorder:1"),
    "computer": ("computer:1", "computer_peripheral:1", "data_input_device:1"),
    "television": ("loudspeaker:1", "videodisk:1", "compact_disk:1", "phonograph_record:1"),
    "mobile phone": ("telephone:1",),
    "decoration": ("decoration:1", "sculpture:1", "picture:2", "figurine:1"),
    "vase": ("vase:1", "houseplant:1", "candle:1", "candlestick:1"),
    "lamp": ("lamp:1", "lamp:2"),
    "clock": ("clock:1",),
    "toy": ("plaything:1",),
    "soft toy": ("doll:1",),
    "board game": ("board_game:1", "jigsaw_puzzle:1", "game_equipment:1"),
    "sports equipment": ("sports_equipment:1", "ball:1", "racket:4", "exercise_device:1"),
    "musical instrument": ("musical_instrument:1",),
    "cleaning supply": ("cleaning_implement:1", "cleansing_agent:1", "disinfectant:1", "bleach:3"),
    "detergent": ("detergent:2",),
    "tool": ("hand_tool:1", "power_tool:1", "hammer:2", "measuring_instrument:1", "fastener:2"),
    "garden tool": ("garden_tool:1", "shovel:1", "rake:3", "bicycle:1"),
    "container": ("vessel:3", "basket:1", "box:1", "can:1", "tray:1"),
}
"""Synsets ("word:sense") of every kind of the placement prior."""
SENSES = 4
"""Senses of a word that are considered, the most frequent first; rarer ones are not asked for."""
THINGS = frozenset({"06", "13", "27"})
"""Lexicographer files of artefacts, food and substances: the first such sense of a word decides."""
WORDS = 2
"""Longest noun that is kept [words]."""


@dataclass(frozen=True)
class WordNet:
    """Nouns of WordNet: synsets of each word, most frequent first, file of each synset, and synsets above."""

    senses: Mapping[str, tuple[str, ...]]
    files: Mapping[str, str]
    above: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, folder: Path) -> "WordNet":
        """Read index.noun and data.noun."""
        senses = {f[0]: tuple(f[-int(f[2]) :]) for f in _rows(folder / "index.noun")}
        rows = {f[0]: f for f in _rows(folder / "data.noun")}
        files = {synset: f[1] for synset, f in rows.items()}
        return cls(senses, files, {synset: _hypernyms(f) for synset, f in rows.items()})


def _rows(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            yield line.partition("|")[0].split()


def _hypernyms(fields: list[str]) -> tuple[str, ...]:
    """Return the targets of the pointers "@" (kind of) of a data row."""
    first = 4 + 2 * int(fields[3], 16)
    pointers = fields[first + 1 : first + 1 + 4 * int(fields[first])]
    return tuple(pointers[i + 1] for i in range(0, len(pointers), 4) if pointers[i] == "@")


def kind_of(synset: str, anchors: Mapping[str, str], above: Mapping[str, tuple[str, ...]]) -> str:
    """Return the kind of the nearest anchor at or above a synset; "" if there is none."""
    level: tuple[str, ...] = (synset,)
    while level:
        for each in level:
            if each in anchors:
                return anchors[each]
        level = tuple(parent for each in level for parent in above[each])
    return ""


def nouns_by_kind(wordnet: WordNet) -> Mapping[str, list[str]]:
    """Return the household nouns of every kind."""
    anchors = {
        wordnet.senses[word][int(sense) - 1]: kind
        for kind, names in KINDS.items()
        for word, _, sense in (name.partition(":") for name in names)
    }
    found: dict[str, list[str]] = defaultdict(list)
    for word, synsets in wordnet.senses.items():
        things = [synset for synset in synsets[:SENSES] if wordnet.files[synset] in THINGS]
        kinds = (kind_of(synset, anchors, wordnet.above) for synset in things[:1] or synsets[:SENSES])
        kind = next(filter(None, kinds), "")
        noun = word.replace("_", " ").replace("-", " ")
        if kind and noun.replace(" ", "").isalpha() and len(noun.split()) <= WORDS:
            found[kind].append(noun)
    return found


NOUNS = Path(__file__).parents[1] / "openral_reasoner/openral_reasoner/likely_places/nouns.yaml"
HEAD = """\
# Household nouns by kind, derived from WordNet by lab/household_nouns.py; not edited by hand.
#
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. Its licence is in NOTICE: use,
# copying, modification and distribution for any purpose and without fee or royalty are permitted.
# THE DATABASE IS PROVIDED "AS IS" AND WITHOUT WARRANTIES OF ANY KIND, EXPRESS OR IMPLIED.
"""


def main() -> None:
    """Write the nouns as YAML."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("wordnet", type=Path, help="folder with index.noun and data.noun")
    found = nouns_by_kind(WordNet.read(parser.parse_args().wordnet))
    lines = (f"{kind}: {', '.join(sorted(set(nouns)))}\n" for kind, nouns in sorted(found.items()))
    NOUNS.write_text("".join((HEAD, *lines)), encoding="ascii")


if __name__ == "__main__":
    main()
