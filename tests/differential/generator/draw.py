"""Random choices for generated clusters: the same seed gives the same cluster, on every machine."""

import random


class Draw(random.Random):
    def __init__(self, seed: str):
        super().__init__(seed)
        self.seed_text = seed

    def uid(self, name: str) -> str:
        """No object of another case has it."""
        return f"uid-{self.seed_text}-{name}"

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def some(self, items: list, least: int = 0, most: int | None = None) -> list:
        """A few of the items, in any order."""
        most = len(items) if most is None else min(most, len(items))
        return self.sample(items, self.randint(min(least, most), most))

    def maybe(self, probability: float, **fields) -> dict:
        """The fields, or none of them."""
        return fields if self.chance(probability) else {}
