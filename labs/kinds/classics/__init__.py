"""The five sources' experiments, made again."""
