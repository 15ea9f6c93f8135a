from harness.judging.pairs.holm import rejected


def test_the_smallest_is_held_to_the_whole_number_and_the_next_to_one_less():
    assert rejected([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]  # Holm's own procedure
    assert rejected([0.0125, 0.0166, 0.025, 0.05], 0.05) == [True, True, True, True]


def test_after_the_first_that_stands_all_stand():
    assert rejected([0.02, 0.001, 0.02], 0.03) == [False, True, False]
    assert rejected([0.02, 0.02], 0.03) == [False, False]


def test_one_alone_is_held_to_the_whole_error():
    assert rejected([0.05], 0.05) == [True]
    assert rejected([], 0.05) == []
