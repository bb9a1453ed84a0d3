"""The nouns: what is asked, what was measured, what was predicted. Pure."""
