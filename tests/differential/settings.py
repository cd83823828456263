"""What tests/differential/run was told."""

import json
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    seed: int = 1
    cases: int = 20_000

    def seeds(self, count: int | None = None) -> list[str]:
        return [f"{self.seed}-{number}" for number in range(self.cases if count is None else count)]


def settings() -> Settings:
    return Settings(**json.loads(os.environ.get("GS_DIFFERENTIAL_SETTINGS", "{}")))
