"""Kernels of guidance, navigation and control: guidance laws, sensors, filters, feedback, allocation."""
