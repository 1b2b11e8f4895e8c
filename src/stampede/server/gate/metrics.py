"""Metrics: the tally and the state of this node, in the words of Prometheus.

Nothing is prepared for it: everything is read at the moment somebody scrapes. No label names a room or a player.
"""

import itertools
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import Final, get_args

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from stampede import __version__
from stampede.protocol.events import Phase
from stampede.server.hall.house import House
from stampede.server.hall.stock import Stock
from stampede.server.hall.tally import BOUNDS_S, Durations

_BOUNDS: Final = (*map(str, BOUNDS_S), "+Inf")


class Metrics:
    """What a scrape of this node gets. Costs about a millisecond, and one more for every few thousand rooms awake."""

    def __init__(self, house: House) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(HouseCollector(house))
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)

    def page(self, accept: str = "") -> tuple[bytes, str]:
        """The page, in the format that `accept` asks for, and its content type."""
        encode, kind = choose_encoder(accept)
        return encode(self._registry), kind


class HouseCollector(Collector):
    """Reads a house."""

    def __init__(self, house: House) -> None:
        self._house = house

    def collect(self) -> Iterator[Metric]:
        """Everything, now."""
        house, tally = self._house, self._house.tally
        build = GaugeMetricFamily("stampede_build_info", "Always 1; what runs here.", labels=("version", "sqlite"))
        build.add_metric((__version__, sqlite3.sqlite_version), 1)
        yield build
        yield GaugeMetricFamily("stampede_connections", "Websocket connections open.", house.connections)
        yield GaugeMetricFamily("stampede_draining", "1 while the server sees everyone out.", int(house.draining))
        yield GaugeMetricFamily("stampede_nodes", "Nodes on the log, as far as this one has heard.", house.nodes)
        phases = Counter(live.state.phase for live in house.rooms.awake())
        rooms = GaugeMetricFamily("stampede_rooms", "Rooms awake on this node.", labels=("phase",))
        for phase in get_args(Phase):
            rooms.add_metric((phase,), phases[phase])
        yield rooms
        actions = CounterMetricFamily(
            "stampede_actions", "Actions of this node's players, by `accepted` or the refusal.", labels=("result",)
        )
        actions.add_metric(("accepted",), tally.accepted)
        for code, count in sorted(tally.refused.items()):
            actions.add_metric((code,), count)
        yield actions
        yield _histogram(
            "stampede_receipt_to_ack_seconds", "From a play coming in to its answer going out.", tally.acknowledged
        )
        yield _histogram(
            "stampede_append_seconds", "From a fact being handed to the log to its being durable.", tally.appended
        )
        for name, text, count in (
            ("stampede_hellos", "Connections that said hello.", tally.welcomed),
            ("stampede_resumes", "Seats taken back on a new connection.", tally.resumed),
            ("stampede_slow_readers_dropped", "Connections ended: the reader did not keep up.", tally.slow_dropped),
            ("stampede_rate_limited", "Commands refused as too many.", tally.rate_limited),
            ("stampede_turned_away", "Handshakes refused: too many connections of one address.", tally.turned_away),
            ("stampede_storage_failures", "Commands that the log could not take.", tally.storage_failed),
            ("stampede_incidents", "Commands that failed by a fault of the server's own.", tally.incidents),
        ):
            yield CounterMetricFamily(name, text, count)
        if house.dealer.stock is not None:
            yield from _of_stock(house.dealer.stock)


def _of_stock(stock: Stock) -> Iterator[Metric]:
    labels = ("variant", "grade")
    deals = GaugeMetricFamily("stampede_stock_deals", "Proven sealed deals that are ready.", labels=labels)
    ages = GaugeMetricFamily("stampede_stock_age_seconds", "Age of the oldest of those; 0 without any.", labels=labels)
    for kind, shelf in stock.shelves.items():
        of = (kind.variant, kind.grade or "any")
        deals.add_metric(of, len(shelf.ready))
        ages.add_metric(of, shelf.age_s(stock.clock()))
    yield deals
    yield ages


def _histogram(name: str, text: str, durations: Durations) -> HistogramMetricFamily:
    counts = itertools.accumulate(durations.counts)
    return HistogramMetricFamily(name, text, list(zip(_BOUNDS, counts, strict=True)), durations.sum_s)
