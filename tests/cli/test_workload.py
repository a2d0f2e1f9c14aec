"""``pnet-lp workload``, and files of flows for ``pnet-lp simulate``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

Run = Callable[..., Result]
RunJson = Callable[..., Any]
TREE = "fat-tree:k=4"


def test_a_workload_is_shown_and_written(run: Run, run_json: RunJson) -> None:
    """Three rounds of four senders: those of a round wait for the four of the round before."""
    options = ["workload", "incast:senders=4,sizes=64kB,rounds=3,to=0", "--on", TREE]
    shown = run(*options, "-o", "flows.csv").stdout
    assert "12 from 4 to 1 of 16 hosts, 768,000 bytes in all" in shown
    assert "8 flows start after others, 32 waits in all" in shown
    assert "3 of up to 4 flows" in shown
    document, again = run_json(*options), run_json("workload", "flows.csv", "--on", TREE)
    assert (document["flows"], document["waits"]["waits"], document["tasks"]["tasks"]) == (12, 32, 3)
    assert again["label"] == "flows.csv"
    assert again["fingerprint"] == document["fingerprint"]


def test_a_file_simulates_as_the_rule_does(run: Run, run_json: RunJson) -> None:
    options = ["simulate", TREE, "--link-gbps", "10", "--workload"]
    run("workload", "rpc:rounds=2", "--on", TREE, "--link-gbps", "10", "-o", "flows.parquet")
    rule, file = (run_json(*options, workload) for workload in ("rpc:rounds=2", "flows.parquet"))
    assert file["workload"]["fingerprint"] == rule["workload"]["fingerprint"]
    assert file["fct_us"] == rule["fct_us"]
    wrong = run(*options, "flows.parquet", "--traffic", "permutation", code=2).stderr
    assert "the file flows.parquet says who sends to whom, found 'permutation'" in wrong
    Path("flows.txt").write_text("1\n0 16 3 100 5 0\n")
    wrong = run(*options, "flows.txt", code=2).stderr
    assert wrong.startswith("Error: flows.txt:2: the network has 16 hosts, found '16'; allowed: 0 to 15")


def test_weights_come_from_a_table(run: Run, run_json: RunJson) -> None:
    """Two flows of 1 MB out of one 10 Gb/s link at weights 3 and 1: 4/3 MB, then 2 MB, have left when they end."""
    Path("flows.csv").write_text("src,dst,bytes,start_s,weight\n0,5,1000000,0,3\n0,6,1000000,0,1\n")
    shown = run("workload", "flows.csv", "--on", TREE, "-o", "again.parquet").stdout
    assert "weights   1 to 3" in shown
    options = ("simulate", TREE, "--link-gbps", "10", "--header", "0", "--workload", "again.parquet")
    found = run_json(*options, "--model", "fluid", "--correction", "none")
    assert abs(found["fct_us"]["max"] - 1600) < 1e-3
    assert abs(found["fct_us"]["mean"] - (1600 + 3200 / 3) / 2) < 1e-3
    wrong = run(*options, code=2).stderr
    assert wrong == (
        "Error: again.parquet: flow 0: packets have no weights; allowed: with --model fluid, or without weights\n"
    )


def test_what_a_load_is_a_part_of_is_printed(run: Run, run_json: RunJson) -> None:
    """16 hosts at 10 Gb/s; flows per second are load x capacity over the mean size of the distribution."""
    flows = "poisson:sizes=pfabric-web-search,load=0.3,flows=20"
    for more, gbps, capacity in (
        ("", 160, "what all hosts can send over all planes"),
        (",capacity_gbps=bisection", 80, "the bisection (proved narrowest)"),
        (",capacity_gbps=50", 50, "as given"),
    ):
        document = run_json("workload", flows + more, "--on", TREE, "--link-gbps", "10")
        offered = document["offered"]
        mean = document["distribution_mean_bytes"]
        assert abs(offered["capacity_gbps"] - gbps) < 1e-6
        assert (offered["load"], offered["capacity"], offered["mean_bytes"]) == (0.3, capacity, mean)
        assert abs(offered["flows_per_s"] * mean * 8 / (0.3e9 * gbps) - 1) < 1e-9
        options = ("simulate", TREE, "--link-gbps", "10", "--model", "fluid", "--workload", flows + more)
        simulated = run_json(*options)["workload"]
        assert (simulated["offered"], simulated["distribution_mean_bytes"]) == (offered, mean)
        for shown in (run("workload", flows + more, "--on", TREE, "--link-gbps", "10"), run(*options)):
            words = " ".join(shown.stdout.split())
            assert f"0.3 of {gbps} Gb/s, {capacity}: {offered['flows_per_s']:,.4g} flows/s" in words
            assert f"mean of their distribution {mean:,.0f} bytes" in words
    run("workload", flows, "--on", TREE, "-o", "flows.csv")
    again = run_json("workload", "flows.csv", "--on", TREE)
    assert (again["offered"], again["distribution_mean_bytes"]) == (None, None)
    wrong = run("workload", f"{flows},capacity_gbps=half", "--on", TREE, code=2).stderr
    assert "capacity_gbps" in wrong
    assert "'half'" in wrong


def test_completion_times_as_ns3_writes_them(run: Run, run_json: RunJson) -> None:
    """In the order of ends; a source's first flow has port 10000.  A flow alone takes its ideal time."""
    Path("flows.txt").write_text("3\n0 1 3 100 1500000 0\n0 2 3 100 1460 0.001\n9 15 3 100 2920 0.5\n")
    options = ["simulate", TREE, "--workload", "flows.txt", "--transport", "tcp:handshake=false"]
    found = run_json(*options, "--fct", "fct.txt")
    lines = [line.split() for line in Path("fct.txt").read_text().splitlines()]
    assert [line[:6] for line in lines] == [
        ["0b000001", "0b000101", "10000", "100", "1500000", "0"],
        ["0b000001", "0b000201", "10001", "100", "1460", "1000000"],
        ["0b000901", "0b000f01", "10000", "100", "2920", "500000000"],
    ]
    completion = [int(line[6]) for line in lines]
    assert max(completion) == round(1000 * found["fct_us"]["max"])
    assert lines[1][6] == lines[1][7]
    assert all(int(ideal) <= int(taken) for *_, taken, ideal in lines)
    partial = run(*options, "--fct", "fct.txt", "--time-limit", "1us", code=3)
    assert "0 of 3 complete" in partial.stdout
    assert Path("fct.txt").read_text() == ""
    refused = run(*options, "--fct", "fct.txt", "--draws", "2", code=2).stderr
    assert "give either --fct or --draws" in refused


def test_a_job_has_a_time_and_so_have_its_stages(run: Run, run_json: RunJson) -> None:
    job = ("hadoop:data=4MB,mappers=4,reducers=2,block=500kB", "--on", TREE)
    assert "read: 8 flows, 4,000,000 bytes; shuffle: 8 flows" in run("workload", *job, "-o", "job.csv").stdout
    options = ("simulate", TREE, "--workload", "job.csv", "--model", "fluid")
    document = run_json(*options, "--out", "flows.csv")
    stages = document["stages"]
    assert [(row["stage"], row["tasks"]) for row in stages] == [("read", 4), ("shuffle", 4), ("write", 2)]
    whole = [row["stage_us"]["mean"] for row in stages]
    # Flows end when their sources know; the next stage begins before, when the last byte is there.
    assert document["job_us"]["max"] < sum(whole) < document["job_us"]["max"] * 1.05
    assert document["runs"][0]["job_us"] == document["job_us"]
    assert "read" in Path("flows.csv").read_text()
    shown = run(*options).stdout
    assert "from its first start to its last end" in shown
    assert shown.index("\nread ") < shown.index("\nshuffle ") < shown.index("\nwrite ")
    cut = run(*options, "--time-limit", "300us", code=3).stdout
    assert "\njob " not in cut
    assert " - " in cut[cut.index("\nwrite ") :].splitlines()[1]
    refused = run("workload", *job, "-o", "job.cm", code=2).stderr
    assert "connection matrices of htsim cannot hold tasks of several flows" in refused
    assert run_json("simulate", TREE, "--traffic", "stride:s=1", "--flow-size", "1kB")["job_us"] is None


def test_what_is_refused(run: Run) -> None:
    wrong = run("workload", "incast:senders=4,sizes=9", "--on", TREE, "-o", "flows.json", code=2).stderr
    assert wrong == (
        "Error: incast:senders=4,sizes=9: flow 1: Parsimon's flow lists cannot hold tasks of several flows; "
        "allowed: CSV or Parquet\n"
    )
    assert not Path("flows.json").exists()
    missing = run("workload", "none.csv", "--on", TREE, code=2).stderr
    assert "none.csv: cannot read the file: No such file or directory" in missing
    unknown = run("workload", "incst", "--on", TREE, code=2).stderr
    assert "unknown workload 'incst' (did you mean 'incast'?)" in unknown
