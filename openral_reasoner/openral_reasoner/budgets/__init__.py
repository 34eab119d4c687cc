"""One explicit budget per mission; nothing a message says can reset it."""

from openral_reasoner.budgets.costs import cost_words
from openral_reasoner.budgets.ledger import BudgetExhausted, BudgetLine, Ledger
from openral_reasoner.budgets.limits import SearchBudget

__all__ = ["BudgetExhausted", "BudgetLine", "Ledger", "SearchBudget", "cost_words"]
