"""The board sets that ship with searchlab: one folder a domain, one text file a board."""
