"""Real output of real tools, beside servers of the book: a table, a command, files of text."""
