"""Flows in ns.py: links, paths and sizes in, as JSON on stdin; packet-hops and seconds of the processor out.

Run by ``packets.py --nspy`` with a Python that has ns.py (``pip install ns.py``), which need not have anything else.
"""

import json
import sys
import time

import simpy
from ns.demux.fib_demux import FIBDemux
from ns.flow.cc import TCPReno
from ns.flow.flow import Flow
from ns.packet.tcp_generator import TCPPacketGenerator
from ns.packet.tcp_sink import TCPSink
from ns.port.port import Port

_ACKS = 10_000
"""What ns.py adds to the number of a flow for its acknowledgements."""


def main() -> None:
    requested = json.load(sys.stdin)
    env = simpy.Environment()
    ports = [Port(env, requested["rate"], qlimit=requested["queue"]) for _ in requested["links"]]
    nodes = [FIBDemux(fib={}, outs=ports, ends={}) for _ in range(requested["nodes"])]
    for port, (_, head) in zip(ports, requested["links"], strict=True):
        port.out = nodes[head]
    for number, (there, back) in enumerate(requested["paths"]):
        (src, dst) = requested["links"][there[0]][0], requested["links"][there[-1]][1]
        flow = Flow(number, src, dst, size=requested["bytes"], start_time=1e-12, finish_time=requested["until"])
        sender = TCPPacketGenerator(env, flow, TCPReno(mss=requested["packet"], cwnd=10 * requested["packet"]))
        sender.mss = requested["packet"]
        sink = TCPSink(env, rec_arrivals=False, rec_waits=False, rec_flow_ids=False)
        sender.out, sink.out = nodes[src], nodes[dst]
        for name, path, end in ((number, there, sink), (number + _ACKS, back, sender)):
            for link in path:
                nodes[requested["links"][link][0]].fib[name] = link
            nodes[requested["links"][path[-1]][1]].ends[name] = end
    before = time.process_time()
    env.run(until=requested["until"])
    seconds = time.process_time() - before
    hops = sum(port.packets_received - port.packets_dropped for port in ports)
    json.dump({"packet_hops": hops, "seconds": seconds}, sys.stdout)


if __name__ == "__main__":
    main()
