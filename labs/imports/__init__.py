"""Other programs' load tests: read into levels, and set against the laws."""
