"""The build: a page's cells are run, and the site is made light."""
