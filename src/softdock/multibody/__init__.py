"""Trees of bodies with joints, springs, drives and events."""
