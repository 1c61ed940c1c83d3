"""The studio: Softdock in the browser. What runs and what looks at files knows nothing of the web server."""
