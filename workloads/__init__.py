"""What is measured: the application, the servers and the users."""
