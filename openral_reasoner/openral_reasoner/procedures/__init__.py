"""What a mission does, written as generators: they yield what they wait for and are sent the event."""
