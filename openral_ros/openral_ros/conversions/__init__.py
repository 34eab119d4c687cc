"""Every message passes through here: core types to messages and back."""
