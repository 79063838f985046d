"""Every number of the method is checked and has the paper's value as default."""

import pytest

from mapelites import InputError, Settings


def test_the_defaults_are_the_papers():
    ten, thirty = Settings.of("paper-1", 10), Settings.of("paper-3", 30)
    assert (ten.evaluations, thirty.evaluations) == (200_000, 600_000)
    assert (ten.initial, thirty.initial) == (2_000, 2_000)
    assert (ten.sigma, Settings.of("paper-2", 10).sigma, thirty.sigma) == (0.1, 0.5, 0.1)
    assert (ten.crossover, Settings.of("paper-2", 10).crossover, thirty.crossover) == (False, False, True)
    assert (ten.mutation_probability, thirty.crossover_probability) == (0.5, 0.5)
    assert (ten.bounds, ten.distinct_parents) == ("toroidal", True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"evaluations": 0}, r"evaluations must be from 1 to 1,000,000,000,000, but it was 0"),
        ({"evaluations": 1.5}, r"evaluations must be a whole number, but it was 1.5"),
        ({"evaluations": "many"}, r"evaluations must be a whole number, but it was 'many'"),
        ({"evaluations": float("nan")}, r"evaluations must be a whole number, but it was nan"),
        ({"evaluations": float("inf")}, r"evaluations must be a whole number, but it was inf"),
        ({"evaluations": True}, r"evaluations must be a whole number, but it was True"),
        ({"initial": 300_000}, r"initial must be from 1 to 200,000, but it was 300,000"),
        ({"seed": -1}, r"seed must be from 0 to"),
        ({"sigma": 0.0}, "sigma must be above 0 and at most 1,000,000, but it was 0"),
        ({"sigma": float("nan")}, r"sigma must be a number, but it was nan"),
        ({"mutation_probability": 1.1}, r"mutation_probability must be from 0 to 1, but it was 1.1"),
        ({"crossover": "yes"}, r"crossover must be true or false, but it was 'yes'"),
        ({"bounds": "open"}, r"bounds must be one of toroidal, saturate, bounce, but it was 'open'"),
        ({"speed": 3}, r"a setting must be one of .*sigma.*, but it was 'speed'"),
    ],
)
def test_a_wrong_setting_says_what_was_expected_and_what_came(changes, words):
    with pytest.raises(InputError, match=words):
        Settings.of("paper-1", 10, **changes)


def test_an_unknown_search_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"search must be one of paper-1, paper-2, paper-3.*, but it was 'magic'"):
        Settings.of("magic", 10)


def test_settings_survive_being_written_down():
    settings = Settings.of("paper-2", 30, seed=9, bounds="bounce")
    assert Settings.from_dict(settings.as_dict()) == settings


def test_a_small_budget_lowers_the_initial_samples_with_it():
    assert Settings.of("paper-1", 10, evaluations=500).initial == 500
