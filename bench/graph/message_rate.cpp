#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "graph/measures.h"
#include "graph/message_shape.h"
#include "graph/tbb_messages.h"
#include "support/figures.h"

namespace millrace::bench {
namespace {

/// Ours is at least twice as fast.
constexpr double kShareOfTbbMax = 0.5;

struct Rival {
  std::string_view name;
  TbbNodes nodes;
};
constexpr auto kRivals = std::to_array<Rival>({{"serial", TbbNodes::kSerial},
                                               {"unlimited", TbbNodes::kUnlimited},
                                               {"lightweight", TbbNodes::kLightweight}});

/// Nanoseconds per invocation.
template <class Run>
base::Result<double> time_run(Run& run, std::uint64_t rounds, std::uint64_t invocations) {
  const auto begin = std::chrono::steady_clock::now();
  MR_TRY_STATUS(run.run(rounds));
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / static_cast<double>(rounds * invocations);
}

base::Status measure_shape(const MessageShape& shape,
                           std::uint32_t per_epoch,
                           const BenchOptions& options,
                           Figures& figures) {
  const std::size_t turns = options.smoke ? 1 : 31;
  const std::uint64_t invocations = std::uint64_t{per_epoch} * shape.invocations();
  const std::uint64_t rounds = options.smoke ? 3 : 200'000 / invocations;
  MR_TRY(const auto ours, MessageRun::make(shape, per_epoch));
  std::array<std::vector<double>, kRivals.size()> shares;
  std::array<std::vector<double>, kRivals.size()> theirs_ns;
  std::vector<double> ours_ns;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    MR_TRY(const double own, time_run(*ours, rounds, invocations));
    ours_ns.push_back(own);
    for (std::size_t i = 0; i < kRivals.size(); ++i) {
      const auto rival = make_tbb_messages(shape, per_epoch, kRivals[i].nodes);
      MR_TRY_STATUS(rival->run(rounds / 8 + 1));
      MR_TRY(const double theirs, time_run(*rival, rounds, invocations));
      theirs_ns[i].push_back(theirs);
      shares[i].push_back(own / theirs);
    }
  }
  figures.push_back(
      {base::format("{}, {} per epoch: invocation", shape.name, per_epoch), median(ours_ns), "ns"});
  for (std::size_t i = 0; i < kRivals.size(); ++i) {
    figures.push_back(
        {base::format("  oneTBB {} nodes", kRivals[i].name), median(theirs_ns[i]), "ns"});
    figures.push_back(
        {base::format("  ours over oneTBB {}", kRivals[i].name), median(shares[i]), "x"});
    // Lightweight nodes are calls of functions: no queue, no order, no other thread ever.
    if (kRivals[i].nodes == TbbNodes::kSerial) figures.back().at_most = kShareOfTbbMax;
  }
  return {};
}

}  // namespace

base::Status measure_messages(const BenchOptions& options, Figures& figures) {
  for (const MessageShape& shape : message_shapes()) {
    for (const std::uint32_t per_epoch : {1U, 16U}) {
      MR_TRY_STATUS(measure_shape(shape, per_epoch, options, figures));
    }
  }
  return {};
}

}  // namespace millrace::bench
