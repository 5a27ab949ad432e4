"""The properties that the contract of each kind of component asks about."""
