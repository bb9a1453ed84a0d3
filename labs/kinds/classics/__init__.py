"""The sources' experiments, made again."""
