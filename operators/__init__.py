"""What users can do: each operator holds its words, its properties and one call to `api`."""
