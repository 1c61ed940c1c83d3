"""The studio: web interface of Softdock. Tasks and file access do not depend on the web server."""
