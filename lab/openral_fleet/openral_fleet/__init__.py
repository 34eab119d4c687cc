"""Dispatcher of errands to several robots: auctions, leases, takeover from a lost robot."""
