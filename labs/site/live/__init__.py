"""The live book: Jupyter's server with the book's pages, their kernels, and `labs read`."""
