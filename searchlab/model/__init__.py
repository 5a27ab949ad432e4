"""Values: what plugins declare and what runs return, with no behaviour beyond checking themselves."""
