"""A sweep: one server over levels of users."""
