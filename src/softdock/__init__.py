"""Softdock simulates the contact phase of spacecraft docking, berthing and servicing."""
