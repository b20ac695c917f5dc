"""What numbers may be asked for, said the same wherever they are."""

MOST_ITERATIONS = 10**9


def expected_seconds(most: float) -> str:
    """How long a search may take."""
    return f"more than 0, at most {most:.12g}"
