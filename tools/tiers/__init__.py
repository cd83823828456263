"""What tools/run-tests is made of: tiers and partners say what runs, lanes in which order, breakdown where the time went."""
