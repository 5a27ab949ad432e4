"""The readable searches, on Board objects: they define the behaviour of all searches."""
