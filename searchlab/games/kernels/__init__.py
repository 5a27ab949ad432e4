"""The compiled loops of looking ahead and of learning, a module each."""
