"""What is found out once is kept, but not without limit."""

from routing.guidance.memo import Memo


def test_a_value_is_made_once() -> None:
    """Also where it is None."""
    asked: list[int] = []
    memo = Memo[int, None](10)
    for key in (1, 2, 1, 2):
        memo.get(key, asked.append, key)
    assert asked == [1, 2]


def test_no_more_than_the_limit_is_kept() -> None:
    """What did not fit any more is made again, and right."""
    asked: list[int] = []

    def double(number: int) -> int:
        asked.append(number)
        return 2 * number

    memo = Memo[int, int](3)
    assert [memo.get(key, double, key) for key in (0, 1, 2, 3, 3, 0)] == [0, 2, 4, 6, 6, 0]
    assert asked == [0, 1, 2, 3, 0]
