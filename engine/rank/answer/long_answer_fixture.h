#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "rank/rank_fixture.h"

// For tests only: answers that begin when no worker is free, so that one can tell where they were
// written.

namespace millrace::rank::testing {

/// How long a node of `BusyRig` keeps its worker, and when the answer under test begins.
inline constexpr base::Duration kWorkersBusyFor = std::chrono::milliseconds(80);
inline constexpr base::Duration kAnswerBeginsAfter = std::chrono::milliseconds(10);

/// Threading: not shared.
class BusyRig : public RankRig {
 public:
  BusyRig() {
    costs["busy"] = kWorkersBusyFor;
    load(plan_text(
        source_node(3) + node("busy", "vm", "src", R"({"out_key": "score", "expr": "id * 0.5"})"),
        R"(["busy"])",
        R"(["id"])",
        "keeps_workers"));
  }
  // Bodies that still run use what follows.
  ~BusyRig() { drain(); }

  /// Loads the plan under test: `count` rows, `more` nodes behind `src`, and a wait at the end.
  void load_rows(int count, std::string_view more, std::string_view last, std::string_view keys) {
    const std::string artifact = plan_text(source_node(count) + std::string(more) +
                                               node("nap", "sleep", last, R"({"duration_ms": 10})"),
                                           R"(["nap"])",
                                           keys,
                                           "rows");
    load(artifact, {.artifact = artifact});
  }
  void load_rows(int count) { load_rows(count, "", "src", R"(["id"])"); }

  /// Starts a request of that plan. Its nodes but the last one run before all workers are taken.
  /// `more` are further fields of the request.
  std::unique_ptr<TestCall> start_rows(std::string_view more = "") {
    auto call = start(base::format(R"({{"user_id": 1, "plan": "rows"{}}})", more));
    while (loop.next_deadline() != clock.now() + kAnswerBeginsAfter) MR_CHECK(step());
    for (int worker = 0; worker < 2; ++worker)
      others_.push_back(start(R"({"user_id": 1, "plan": "keeps_workers"})"));
    return call;
  }
  /// The same until it is answered. Gives when that was.
  base::Duration answered_after(std::string_view more = "") {
    const auto call = start_rows(more);
    while (!call->is_answered()) MR_CHECK(step());
    MR_CHECK(call->ok(), call->response());
    return call->took();
  }

 private:
  std::vector<std::unique_ptr<TestCall>> others_;
};

}  // namespace millrace::rank::testing
