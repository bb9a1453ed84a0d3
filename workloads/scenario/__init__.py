"""A reader's own Locust users, put before a server as the labs' are."""
