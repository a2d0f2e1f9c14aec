// SimGrid's flow-level model on the links, paths and flows of a file: what fluid.py compares with.
//
// Standard input: counts of hosts, links, routes and flows; bytes a second of each link; source, destination, number of
// links and links of each route; source, destination, bytes and start in seconds of each flow, by start.  Standard output:
// the end of each flow in seconds, then the processor's seconds for the simulation alone.

#include <ctime>
#include <iostream>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

struct Flow {
  size_t src, dst;
  double bytes, start;
};

static double processor_seconds()
{
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int main(int argc, char** argv)
{
  sg4::Engine engine(&argc, argv);
  // Max-min fair rates and nothing beside: no latency, window, factor, or load of acknowledgements.
  for (const char* setting : {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "network/weight-S:0",
                              "network/bandwidth-factor:1", "network/latency-factor:1", "maxmin/precision:1e-12",
                              "surf/precision:1e-12"})
    sg4::Engine::set_config(setting);

  size_t hosts, links, routes, flows;
  std::cin >> hosts >> links >> routes >> flows;
  auto* zone = sg4::create_full_zone("network");
  std::vector<sg4::Host*> host(hosts);
  for (size_t i = 0; i < hosts; i++)
    host[i] = zone->create_host("host" + std::to_string(i), 1e9);
  std::vector<sg4::Link*> link(links);
  for (size_t i = 0; i < links; i++) {
    double rate;
    std::cin >> rate;
    link[i] = zone->create_link("link" + std::to_string(i), rate)->set_latency(0)->seal();
  }
  for (size_t i = 0; i < routes; i++) {
    size_t src, dst, count;
    std::cin >> src >> dst >> count;
    std::vector<sg4::LinkInRoute> path;
    for (size_t hop = 0; hop < count; hop++) {
      size_t at;
      std::cin >> at;
      path.emplace_back(link[at]);
    }
    zone->add_route(host[src]->get_netpoint(), host[dst]->get_netpoint(), nullptr, nullptr, path, false);
  }
  zone->seal();
  std::vector<Flow> list(flows);
  for (auto& flow : list)
    std::cin >> flow.src >> flow.dst >> flow.bytes >> flow.start;

  std::vector<sg4::CommPtr> sent;
  sg4::Actor::create("sources", host[0], [&] {
    for (const auto& flow : list) {
      sg4::this_actor::sleep_until(flow.start);
      // Sizes are whole numbers of bytes here.
      sent.push_back(sg4::Comm::sendto_async(host[flow.src], host[flow.dst], static_cast<uint64_t>(flow.bytes)));
    }
    for (const auto& comm : sent)
      comm->wait();
  });
  const double began = processor_seconds();
  engine.run();
  const double took = processor_seconds() - began;
  std::cout.precision(17);
  for (const auto& comm : sent)
    std::cout << comm->get_finish_time() << '\n';
  std::cout << took << '\n';
}
