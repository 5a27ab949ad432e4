"""What is done with many runs, and with one on behalf of many: plugins are told of it, and measure its result."""
