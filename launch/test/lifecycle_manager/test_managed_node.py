"""A node that stays away is told of once, and again after it was back."""

from openral_bringup.lifecycle_manager.managed_node import OutageTracker

PATIENCE = 10.0


def test_a_short_absence_is_not_worth_a_word() -> None:
    away = OutageTracker().observed("/eye", 0.0, answers=False).observed("/eye", 9.0, answers=False)
    assert away.overdue(9.0, PATIENCE) == ()
    assert away.observed("/eye", 9.5, answers=True).overdue(99.0, PATIENCE) == ()


def test_a_long_absence_counts_from_its_first_look_and_is_told_of_once() -> None:
    away = OutageTracker().observed("/eye", 0.0, answers=False).observed("/eye", 9.0, answers=False)
    assert away.overdue(10.5, PATIENCE) == ("/eye",)
    assert away.mark_reported("/eye").overdue(99.0, PATIENCE) == ()


def test_the_next_absence_is_told_of_again() -> None:
    back = (
        OutageTracker()
        .observed("/eye", 0.0, answers=False)
        .mark_reported("/eye")
        .observed("/eye", 20.0, answers=True)
    )
    again = back.observed("/eye", 30.0, answers=False)
    assert again.overdue(39.0, PATIENCE) == ()
    assert again.overdue(41.0, PATIENCE) == ("/eye",)
