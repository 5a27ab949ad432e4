"""Plugins to begin with: what `searchlab plugins new` writes, from templates."""
