"""Presentation of results to users: units, number formats, labels, colours, thresholds and tables.

Terminal, HTML reports, replay and studio take all of these from here, so that one result reads the same everywhere.
"""
