//! Delivery of notices: attempts, back-off, receipts, giving up. Pure; sending is the shell's.
