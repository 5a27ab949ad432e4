"""Values: the declarations of plugins and the results of runs, with no behaviour beyond checking themselves."""
