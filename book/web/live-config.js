// A built site is not live. The book's own server (labs/site/live/server.py) answers this address
// with the way to its kernels instead.
