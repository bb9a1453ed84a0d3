"""Questions, and what their answers are judged by."""
