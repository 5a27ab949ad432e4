"""A component with values for its parameters: something that can be called."""
