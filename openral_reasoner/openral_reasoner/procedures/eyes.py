"""Whether anybody can look, or is to be hoped for."""

from openral_reasoner.procedures.mission import Mission
from openral_reasoner.procedures.waits import LOCATOR

SILENT = "it does not answer"


def broken_words(mission: Mission) -> str:
    """What is known of locators that do not work, in their nodes' words; "" when nothing is."""
    palette = mission.palette
    told = dict.fromkeys(sorted(mission.not_back), SILENT)
    told |= {each.id: each.why for each in palette.blind}
    told |= {each.id: each.trouble for each in palette.locators if each.recovering}
    well = {each.id for each in palette.locators if not each.recovering}
    return "; ".join(f"the locator {name} is broken: {why}" for name, why in told.items() if name not in well)


def hopeless(mission: Mission) -> str:
    """Why nobody can look although it was waited for, in words; "" while somebody can, or may soon.

    A locator that broke is hoped for once; one that has not appeared yet may do so on the way.
    """
    locators = mission.palette.locators
    if any(not each.recovering or each.id not in mission.not_back for each in locators):
        return ""
    return broken_words(mission) if locators or LOCATOR.absent in mission.in_vain else ""
