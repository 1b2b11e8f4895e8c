"""Metrics: what happened is counted, in the words of Prometheus, and nothing tells who or where."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.exceptions import InvalidStatus

from e2e.servers import Server
from e2e.third_party import Client, race
from stampede.patience.codes import Code
from stampede.patience.solver import Grade
from stampede.server.gate.metrics import Metrics
from stampede.server.hall.dealer import Dealer
from stampede.server.hall.stock import Kind, Stock
from stampede.server.hall.tally import BOUNDS_S, Durations

from .hall.company import Company
from .hall.timelapse import in_no_time
from .race.story import CODE, lines

PHASES = {"lobby", "countdown", "racing", "closing", "over", "cancelled"}


def scraped(server: Server) -> dict[str, float]:
    """All samples, by name and labels."""
    status, text = server.page("/metrics")
    assert status == 200
    return {
        sample.name + "".join(f"{{{key}={value}}}" for key, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_a_race_is_counted() -> None:
    deal, actions = CODE, lines()[CODE]
    settings = {"STAMPEDE_COMMANDS_PER_S": "400", "STAMPEDE_CONNECTIONS_PER_ADDRESS": "3"}
    with Server("--log", "memory:", **settings) as server:
        before = scraped(server)
        assert before["stampede_connections"] == 0
        async with Client(server.url, "Ann") as ann, Client(server.url, "Bob") as bob:
            room = await race([ann, bob], deal)
            for action in actions[:20]:
                assert (await ann.play(action))["type"] == "played"
            refusal = await ann.code("play", n=21, do={"undo": True, "draw": True})
            assert refusal == "message.bad_field"
            assert await ann.code("play", n=99, do={"undo": True}) == "race.out_of_step"
            async with Client(server.url, "Bob", token=bob.token) as again:
                await again.join(room)
                async with Client(server.url, "Carl"):
                    with pytest.raises(InvalidStatus, match="429"):
                        await Client(server.url, "Dora").connect()
                numbers = [await again.say("ping") for _ in range(2000)]
                codes = [(await again.answer(number)).get("code") for number in numbers]
                after = scraped(server)
                everything = server.page("/metrics")[1]
                assert after["stampede_rate_limited_total"] == codes.count("limit.rate") > 0
        assert after["stampede_connections"] == 2
        assert after["stampede_rooms{phase=racing}"] == 1
        assert {f"stampede_rooms{{phase={phase}}}" for phase in PHASES} <= set(after)
        assert after["stampede_actions_total{result=accepted}"] == 20
        assert after["stampede_actions_total{result=race.out_of_step}"] == 1
        assert after["stampede_receipt_to_ack_seconds_count"] == 20
        assert after["stampede_receipt_to_ack_seconds_bucket{le=+Inf}"] == 20
        assert 0 < after["stampede_receipt_to_ack_seconds_sum"] < 20
        assert after["stampede_append_seconds_count"] >= 24
        assert after["stampede_resumes_total"] == 1
        assert after["stampede_hellos_total"] >= 3
        assert after["stampede_turned_away_total"] == 1
        assert after["stampede_slow_readers_dropped_total"] == 0
        assert after["stampede_incidents_total"] == 0
        assert after["stampede_storage_failures_total"] == 0
        assert after["stampede_nodes"] == 1
        assert after["process_open_fds"] > 0
        for secret in (room, ann.player, bob.player, ann.token, deal):
            assert str(secret) not in everything


@in_no_time
async def test_names_and_units_are_those_of_prometheus() -> None:
    async with Company() as company:
        await company.race("Ann", "Bob")
        page, kind = Metrics(company.house).page()
        assert kind.startswith("text/plain; version=")
        assert Metrics(company.house).page("application/openmetrics-text; version=1.0.0")[0].endswith(b"# EOF\n")
    text = page.decode()
    for family in text_string_to_metric_families(text):
        assert re.fullmatch(r"(stampede|process|python)_[a-z_]+", family.name)
        assert family.documentation
        if family.type == "histogram":
            assert family.name.endswith("_seconds")
        for sample in family.samples:
            assert set(sample.labels) <= {"phase", "result", "le", "version", "sqlite"} or family.name == "python_info"
            if family.type == "counter":
                assert sample.name.endswith(("_total", "_created"))


def test_durations_fall_into_classes_by_their_upper_bounds() -> None:
    durations = Durations()
    for seconds in (0.0, BOUNDS_S[0], BOUNDS_S[0] * 1.01, BOUNDS_S[-1], 1000.0):
        durations.add(seconds)
    assert durations.counts[0] == 2
    assert durations.counts[1] == 1
    assert durations.counts[-2:] == [1, 1]
    assert sum(durations.counts) == 5


@in_no_time
async def test_the_stock_is_told_by_kind_with_its_age() -> None:
    async with Company() as company:
        assert b"stampede_stock" not in Metrics(company.house).page()[0]
        stock = Stock([], size=2, kinds=[Kind("YU1-C", None), Kind("KL1-D3N", Grade.HARD)], clock=lambda: 100.0)
        stock.shelves[Kind("KL1-D3N", Grade.HARD)].ready.append((40.0, Code("KL1", "D3N", "A" * 26)))
        company.house.dealer = Dealer(stock)
        text = Metrics(company.house).page()[0].decode()
        assert 'stampede_stock_deals{grade="any",variant="YU1-C"} 0.0' in text
        assert 'stampede_stock_deals{grade="hard",variant="KL1-D3N"} 1.0' in text
        assert 'stampede_stock_age_seconds{grade="hard",variant="KL1-D3N"} 60.0' in text
        assert "AAAAAAA" not in text
