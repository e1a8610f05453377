#include "bench/serve/cost.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace millrace::bench {

base::Result<Compared> compare(const Effort& effort, const Cost& first, const Cost& second) {
  const std::size_t warm_up = std::max<std::size_t>(64, effort.requests / 10);
  for (const Cost* const cost : {&first, &second}) {
    if (const auto warm = (*cost)(warm_up); !warm) return std::unexpected(warm.error());
  }
  std::vector<double> first_us;
  std::vector<double> second_us;
  std::vector<double> ratios;
  for (int turn = 0; turn < effort.turns; ++turn) {
    MR_TRY(const double a, first(effort.requests));
    MR_TRY(const double b, second(effort.requests));
    first_us.push_back(a * 1e6);
    second_us.push_back(b * 1e6);
    ratios.push_back(b / a);
  }
  return Compared{
      .first_us = median(first_us), .second_us = median(second_us), .ratio = median(ratios)};
}

base::Result<Cost> cost_of(const Served& server, const std::string& request) {
  MR_TRY(ClosedLoad made, ClosedLoad::connect({.port = server.port(), .request = request}));
  // A function must be copyable; the load is not.
  const auto load = std::make_shared<ClosedLoad>(std::move(made));
  return [&server, load](std::size_t requests) -> base::Result<double> {
    const double before = cpu_seconds(server.thread());
    MR_TRY_STATUS(load->run(requests));
    return (cpu_seconds(server.thread()) - before) / static_cast<double>(requests);
  };
}

base::Result<Cost> cost_of(const RankdProcess& process, const std::string& request, int status) {
  MR_TRY(ClosedLoad made,
         ClosedLoad::connect({.port = process.port(), .request = request, .status = status}));
  const auto load = std::make_shared<ClosedLoad>(std::move(made));
  return [&process, load](std::size_t requests) -> base::Result<double> {
    const double before = process.cpu_seconds();
    MR_TRY_STATUS(load->run(requests));
    return (process.cpu_seconds() - before) / static_cast<double>(requests);
  };
}

}  // namespace millrace::bench
