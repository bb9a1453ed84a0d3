"""Numbers in words, tables, plots, sentences and HTML. Pure."""
