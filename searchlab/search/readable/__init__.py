"""The readable searches, on Board objects: they define what a search does."""
