"""What a page may write: roles and directives, each with numbers from recordings and laws."""
