#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/compiled_plan.h"
#include "rank/explain/explain_ids.h"

namespace millrace::rank {

/// Tells in one sentence what became of a row, for whoever wrote the plan: "dropped by `filter`:
/// score 0.32 is not >= 0.5".
/// Threading: not shared. Lifetime: borrows the source.
class ExplainSentences {
 public:
  explicit ExplainSentences(const ExplainSource& source);

  [[nodiscard]] std::string of(const ExplainedPath& path) const;
  /// The sentence of the path that decides, or that no source gave the id.
  [[nodiscard]] std::string of(const ExplainedId& explained) const;

 private:
  [[nodiscard]] std::string of_cut(const ExplainedPath& path) const;
  [[nodiscard]] std::string of_take(const ExplainedPath& path) const;
  [[nodiscard]] std::string of_group_limit(const ExplainedPath& path) const;
  [[nodiscard]] std::string of_dedupe(const ExplainedPath& path) const;
  [[nodiscard]] std::string of_sample(const ExplainedPath& path) const;
  [[nodiscard]] std::string of_diversify(const ExplainedPath& path) const;
  [[nodiscard]] std::string of_drop(const ExplainedPath& path) const;
  [[nodiscard]] std::string of_join(const ExplainedPath& path) const;
  [[nodiscard]] std::string of_use(const ExplainedPath& path) const;
  [[nodiscard]] std::string of_absence() const;
  [[nodiscard]] const plan::CompiledNode& last_of(const ExplainedPath& path) const {
    return plan_.nodes[path.via.back()];
  }

  const ExplainSource& source_;
  const plan::CompiledPlan& plan_;
  std::size_t candidate_count_ = 0;
};

/// `1st`, `2nd`, `11th`.
[[nodiscard]] std::string ordinal(std::size_t number);

}  // namespace millrace::rank
