"""The compiled loops of looking ahead, playing, solving and learning, each in a module."""
