"""Faults planted in the product one at a time, and which of them the tests catch: `make faults`.

`places.py` finds where a fault can be planted, `draw.py` draws 120 of these places, `suites.py` knows which tests run a
line and runs them, and `__main__.py` plants one fault after another.
"""
