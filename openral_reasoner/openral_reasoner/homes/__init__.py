"""Symbolic homes: memory, locator and skills as plain functions, for tests and the search benchmark."""

from openral_reasoner.homes.driver import Play, play
from openral_reasoner.homes.home import Home, HomeObject, HomePlace
from openral_reasoner.homes.peers import HomePeers

__all__ = ["Home", "HomeObject", "HomePeers", "HomePlace", "Play", "play"]
