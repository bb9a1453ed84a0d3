"""The mystery: a server with a hidden limit."""
