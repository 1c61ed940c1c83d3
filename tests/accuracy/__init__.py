"""Peak reactions of generated mechanisms, compared with closed forms and with runs of much smaller tolerances."""
