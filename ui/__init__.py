"""What users see; it draws and decides nothing."""
