"""The kinds of lab, one folder each."""
