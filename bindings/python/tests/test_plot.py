# SPDX-License-Identifier: MIT
"""Pictures, compared with those of tests/pictures by matplotlib, and their words with the lists below. Letters are not
compared as pictures: they differ between versions of matplotlib. test_plot.py --write draws the pictures again: inspect
them before you commit them."""
import dataclasses
import functools
import importlib.util
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

for needed in ("numpy", "matplotlib"):
    if importlib.util.find_spec(needed) is None:
        raise unittest.SkipTest(f"{needed} is not installed")

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.legend import Legend
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text

from librebalance import Binding, Bindings, Fleet, Ledger, Placement, estimate, plot, rebalance, schedule
from librebalance.shards import sweep
from objects import cluster

PICTURES = pathlib.Path(__file__).parent / "pictures"
#: The largest root mean square of the difference, of 255. Versions 3.8 and 3.11 of matplotlib draw the same; the wrong
#: pictures below differ by more than 3.
TOLERANCE = 1


def world(cpu="12"):
    """Three clusters of the north, two of the south; the bindings are all in the north."""
    fleet = Fleet([cluster(f"{region}-{at}", cpu=cpu if at == 1 else "8", region=region)
                   for region, count in (("north", 3), ("south", 2)) for at in range(1, count + 1)]
                  + [cluster("tiny", cpu="500m")])
    return fleet, [Binding(name, count, Placement(division="AvailableReplicas"), requests={"cpu": "1"},
                           clusters={"north-1": count // 2, "north-2": count - count // 2})
                   for name, count in (("web", 9), ("api", 6), ("big", 22))]


def afresh():
    """Decisions as if the workloads had no clusters yet."""
    fleet, bindings = world()
    return schedule(fleet, [dataclasses.replace(one, clusters={}) for one in bindings])


def draw_replicas(after=None, ax=None):
    return plot.replicas(Bindings(*world()), after or afresh(), ax=ax)


def draw_headroom(requests=None, ax=None):
    return plot.headroom(world()[0], requests or {"cpu": "1"}, ax=ax)


def draw_losses(cpu="12", ax=None):
    fleet, bindings = world(cpu)
    lost = sweep(fleet, bindings, clusters=["north-1", "south-1", ("north-1", "north-2", "north-3")])
    return plot.losses(lost, ax=ax)


NAMES = ["north-1", "north-2", "north-3", "south-1", "south-2"]
WORDS = {
    "replicas": ["18", "19", "0", "0", "0", "9", "7", "7", "8", "6", "replicas", "0", "5", "10", "15", "20", "25",
                 *NAMES, "before", "after"],
    "headroom": ["12", "8", "8", "12", "8", "0", "replicas that fit (cpu 1)", "0", "2", "4", "6", "8", "10", "12", "14",
                 *NAMES, "tiny"],
    "losses": ["18", "0", "15", "0", "0", "22", "replicas", "0", "5", "10", "15", "20", "25", "lost", "north-1",
               "south-1", "north-1, north-2, north-3 (1 unplaced)", "moved", "missing"],
}
DRAW = {"replicas": draw_replicas, "headroom": draw_headroom, "losses": draw_losses}


def words(axes):
    """The texts of a picture, in the order in which they are drawn."""
    axes.figure.canvas.draw()
    return [one.get_text() for one in axes.figure.findobj(Text) if one.get_text() and one.get_visible()]


def save(draw, path):
    """Draws into axes of a fixed place and size, without texts; returns these."""
    figure, axes = pyplot.subplots(figsize=(5, 3))
    draw(ax=axes)
    texts = words(axes)
    for one in figure.findobj(Text) + figure.findobj(Legend):
        one.set_visible(False)
    figure.savefig(path, dpi=60, metadata={"Software": None})
    pyplot.close(figure)
    return texts


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def differs(self, name, draw):
        """The result of compare_images(): None if the picture is as expected."""
        save(draw, self.folder / f"{name}.png")
        wanted = self.folder / f"{name}-wanted.png"
        wanted.write_bytes((PICTURES / f"{name}.png").read_bytes())
        return compare_images(str(wanted), str(self.folder / f"{name}.png"), TOLERANCE)

    def test_each(self):
        for name, draw in DRAW.items():
            with self.subTest(name):
                self.assertIsNone(self.differs(name, draw))
                self.assertEqual(save(draw, self.folder / "words.png"), WORDS[name])

    def test_wrong_ones_are_seen(self):
        """One replica is elsewhere; another request; another capacity; another picture."""
        moved = plot.by_cluster(afresh())
        moved["north-1"] -= 1
        moved["south-1"] += 1
        for name, draw in (("replicas", functools.partial(draw_replicas, moved)),
                           ("headroom", functools.partial(draw_headroom, {"cpu": "1100m"})),
                           ("losses", functools.partial(draw_losses, "30"))):
            with self.subTest(name):
                self.assertRegex(self.differs(name, draw) or "", "did not match")
                self.assertNotEqual(save(draw, self.folder / "words.png"), WORDS[name])


class Data(unittest.TestCase):
    def test_what_bars_show(self):
        fleet, bindings = world()
        made = Bindings(fleet, bindings)
        decisions = schedule(fleet, made)
        self.assertEqual(plot.by_cluster(made), {"north-1": 18, "north-2": 19})
        self.assertEqual(sum(plot.by_cluster(decisions).values()), sum(one.replicas for one in decisions))
        axes = plot.headroom(fleet, {"cpu": "1"})
        self.assertEqual([bar.get_width() for bar in axes.patches], list(estimate(fleet, {"cpu": "1"}).values()))
        self.assertEqual(estimate(fleet, {"cpu": "1"}), {"north-1": 12, "north-2": 8, "north-3": 8, "south-1": 12,
                                                         "south-2": 8, "tiny": 0})
        self.assertEqual(set(estimate(fleet).values()), {110})
        ledger = Ledger(fleet)
        ledger.charge("x/y", "tiny", [(10, None)])
        self.assertEqual(estimate(fleet, ledger=ledger)["tiny"], 100)
        pyplot.close(axes.figure)

    def test_moves(self):
        fleet, bindings = world()
        moves = rebalance(fleet, bindings[:2], now="2026-03-01T00:00:00Z")
        axes = plot.replicas(moves)
        self.assertEqual(axes.get_legend_handles_labels()[1], ["before", "after"])
        self.assertEqual(sum(bar.get_width() for bar in axes.patches), 30)
        pyplot.close(axes.figure)

    def test_axes_of_the_caller(self):
        figure, own = pyplot.subplots()
        self.assertIs(plot.headroom(world()[0], ax=own), own)
        self.assertIs(plot.replicas({"a": 1}, {}, ax=own), own)
        pyplot.close(figure)

    def test_nothing_to_draw(self):
        fleet = Fleet([])
        for axes in (plot.headroom(fleet), plot.replicas({}, {}), plot.losses(sweep(fleet, []))):
            axes.figure.canvas.draw()
            pyplot.close(axes.figure)

    def test_wrong_arguments(self):
        moves = rebalance(*world(), now="2026-03-01T00:00:00Z")
        for call in (lambda: plot.replicas(3, {}), lambda: plot.replicas({}), lambda: plot.replicas(moves, {}),
                     lambda: plot.losses([])):
            with self.assertRaises(TypeError):
                call()

    def test_missing_packages_are_named(self):
        with mock.patch.dict(sys.modules, {"matplotlib.pyplot": None}):
            with self.assertRaisesRegex(ImportError, "librebalance.plot needs matplotlib: pip install matplotlib"):
                plot.headroom(world()[0])


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PICTURES.mkdir(exist_ok=True)
        for picture, function in DRAW.items():
            print(picture, save(function, PICTURES / f"{picture}.png"))
    else:
        unittest.main()
