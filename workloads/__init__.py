"""Workloads, which are measured: the application, the servers and the users."""
