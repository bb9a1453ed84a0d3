"""Three servers from scratch, one for each architecture, short enough to be read in the book."""
