"""What a person asked for, as typed goals: stated once, by whoever reads the sentence."""
