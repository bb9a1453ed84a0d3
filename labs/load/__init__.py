"""Load generators: Locust, and others."""
