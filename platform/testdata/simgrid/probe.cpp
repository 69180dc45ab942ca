// Prints the hosts, links and routes that SimGrid 3.32 makes of a platform.
//   g++ -std=c++17 probe.cpp -o probe -lsimgrid
//   ./probe PLATFORM.xml [MAXIMUM OF ROUTES] > PLATFORM.routes
// H name speed cores / L name bandwidth latency policy (0 FATPIPE, 1 SHARED) /
// R from to latency links... or, where SimGrid refuses, R from to !message
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <simgrid/s4u.hpp>
#include <unistd.h>
#include <vector>

namespace sg = simgrid::s4u;

int main(int argc, char** argv)
{
  sg::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  engine.seal_platform();
  auto hosts = engine.get_all_hosts();
  for (auto* h : hosts)
    printf("H %s %.17g %d\n", h->get_cname(), h->get_speed(), h->get_core_count());
  for (auto* l : engine.get_all_links())
    printf("L %s %.17g %.17g %d\n", l->get_cname(), l->get_bandwidth(), l->get_latency(),
           static_cast<int>(l->get_sharing_policy()));

  long n = hosts.size(), step = argc > 2 ? n * n / atol(argv[2]) : 1;
  if (step < 1)
    step = 1;
  while (std::gcd(step, n) != 1) // so that every host occurs at both ends
    step++;
  for (long k = 0; k < n * n; k += step) {
    auto *a = hosts[k / n], *b = hosts[k % n];
    std::vector<sg::Link*> links;
    double latency = 0;
    try {
      a->route_to(b, links, &latency);
    } catch (std::exception const& e) {
      printf("R %s %s !%s\n", a->get_cname(), b->get_cname(), e.what());
      continue;
    }
    printf("R %s %s %.17g", a->get_cname(), b->get_cname(), latency);
    for (auto* l : links)
      printf(" %s", l->get_cname());
    printf("\n");
  }
  fflush(stdout);
  _exit(0);
}
