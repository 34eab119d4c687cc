"""Reading of recordings: replay, explanation, comparison, spans, and the console's source of them."""
