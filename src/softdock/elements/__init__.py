"""Force elements: one folder per kind with its model, records, kernels, channels and kind of reaction.

`kinds.py` lists the kinds; everything that depends on them (keys of scenarios, records, dispatch, channels, reactions,
labels, reference pages, public names) follows from that list.
"""
