import pytest

from nokori_site.charts import HEIGHT, TOP, Column, draw, tick_step


def column(**changes):
    return Column(label="", title="", **changes)


@pytest.mark.parametrize(("highest", "step"), [(0, 1), (4, 1), (5, 2), (8, 2), (9, 5), (62, 20), (81, 50), (1000, 500)])
def test_ticks_are_round_and_few(highest, step):
    assert tick_step(highest) == step


def test_a_bar_stands_on_the_ground_and_ends_at_its_value():
    (bar,) = draw([column(warm=2, hot=2)]).bars

    assert bar.warm_y + bar.warm_height == HEIGHT
    assert bar.hot_y == TOP
    assert bar.hot_y + bar.hot_height < bar.warm_y


def test_bars_share_the_width_evenly():
    bars = draw([column(), column(), column(), column()]).bars

    assert [bar.center for bar in bars] == [12.5, 37.5, 62.5, 87.5]


def test_an_empty_chart_has_a_ground_line():
    chart = draw([])

    assert (chart.bars, [tick.value for tick in chart.ticks]) == ([], [0, 1])
