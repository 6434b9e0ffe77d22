"""Files as people and tools really write them, each with its one right reading."""
