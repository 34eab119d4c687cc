"""Reader: a program that decides from the texts alone that a language model gets."""
