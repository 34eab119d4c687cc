"""Maps of homes at a desk: imported, annotated, checked and drawn."""
