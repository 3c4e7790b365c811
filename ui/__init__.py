"""What users see; it draws and decides nothing.

`panel` has what stands where, buttons too; `sidebar` has widths and rows that all sections share.
"""
