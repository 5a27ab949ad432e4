"""Games: the rules of play, scripts, looking ahead, and learning."""
