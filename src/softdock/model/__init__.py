"""User-facing models: bodies, joints, springs, drives, surfaces, contacts, structures."""
