#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wall_clock.h"
#include "observe/trace_context.h"

namespace millrace::observe {

/// One observation of a histogram whose trace can be looked up.
struct Exemplar {
  TraceIdBits trace{};
  double value = 0;     ///< what was observed
  base::WallTime at{};  ///< the epoch: there is none
};

/// The exemplars of a page. They stand beside the values because few histograms have any.
class ExemplarTable {
 public:
  /// Gives a series its exemplars, one per bucket.
  void add(std::string_view metric,
           std::vector<std::string> label_values,
           std::span<const Exemplar> by_bucket) {
    table_.insert_or_assign({std::string(metric), std::move(label_values)},
                            std::vector<Exemplar>(by_bucket.begin(), by_bucket.end()));
  }
  /// Gives the exemplars of a series; empty if it has none.
  [[nodiscard]] std::span<const Exemplar> find(std::string_view metric,
                                               const std::vector<std::string>& labels) const {
    if (table_.empty()) return {};
    const auto found = table_.find({std::string(metric), labels});
    return found == table_.end() ? std::span<const Exemplar>() : found->second;
  }

 private:
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<Exemplar>> table_;
};

}  // namespace millrace::observe
