"""Millions of rows on Ray Data: numbered partitions, each finished whole or not at all, so that any job can go on."""
