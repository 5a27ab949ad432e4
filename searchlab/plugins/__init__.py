"""The plugin host: hooks, loading in isolation, and the registry of components."""
