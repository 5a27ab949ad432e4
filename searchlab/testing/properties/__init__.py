"""The properties in the contract of each kind of component."""
