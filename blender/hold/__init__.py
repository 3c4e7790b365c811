"""Targets that stay where they are: `hold` has the order of the steps.

Other rooms use of it:

    hold : all
    holds : all
"""
