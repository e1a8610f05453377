#include "graph/tbb_messages.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "base/format.h"
#include "base/result.h"
#include "graph/message_shape.h"

// Function nodes as oneTBB's documentation shows them: built once, started by messages to the first
// ones, `wait_for_all`. Nobody sends to the first nodes but the caller, which spares oneTBB the
// source that our graph has.
namespace millrace::bench {
namespace {

template <class Policy>
class TbbRun final : public TbbMessages {
 public:
  TbbRun(const MessageShape& shape, std::uint32_t per_round, std::size_t concurrency)
      : shape_(shape), per_round_(per_round), concurrency_(concurrency) {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    arena_.execute([this] { build(); });
  }
  ~TbbRun() override {
    arena_.execute([this] {
      nodes_.clear();
      flow_.reset();
    });
  }

  base::Status run(std::uint64_t rounds) override {
    const std::uint64_t before = calls_;
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    arena_.execute([&] {
      for (std::uint64_t round = 0; round < rounds; ++round) {
        for (std::uint32_t i = 0; i < per_round_; ++i) {
          for (Node* node : first_) node->try_put(static_cast<std::int64_t>(++sent_));
        }
        flow_->wait_for_all();
      }
    });
    const std::uint64_t wanted = rounds * per_round_ * shape_.invocations();
    if (calls_ - before == wanted) return {};
    return base::fail(
        base::ErrorCode::kInternal,
        base::format("{}: {} calls of oneTBB instead of {}", shape_.name, calls_ - before, wanted));
  }

 private:
  using Node = tbb::flow::function_node<std::int64_t, std::int64_t, Policy>;

  Node& add() {
    // One thread runs all of them, so that a plain count does.
    nodes_.push_back(std::make_unique<Node>(*flow_, concurrency_, [this](std::int64_t value) {
      ++calls_;
      return value + 1;
    }));
    return *nodes_.back();
  }

  void build() {
    flow_ = std::make_unique<tbb::flow::graph>();
    for (std::uint32_t i = 0; i < shape_.first; ++i) {
      Node* before = &add();
      first_.push_back(before);
      for (std::uint32_t k = 1; k < shape_.chain; ++k) {
        Node& next = add();
        tbb::flow::make_edge(*before, next);
        before = &next;
      }
    }
    if (!shape_.joins) return;
    Node& join = add();
    for (Node* node : first_) tbb::flow::make_edge(*node, join);
  }

  const MessageShape shape_;
  const std::uint32_t per_round_;
  const std::size_t concurrency_;
  tbb::task_arena arena_{1, 1};
  std::unique_ptr<tbb::flow::graph> flow_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Node*> first_;
  std::uint64_t sent_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<TbbMessages> make_tbb_messages(const MessageShape& shape,
                                               std::uint32_t per_round,
                                               TbbNodes nodes) {
  switch (nodes) {
    case TbbNodes::kSerial:
      return std::make_unique<TbbRun<tbb::flow::queueing>>(shape, per_round, tbb::flow::serial);
    case TbbNodes::kUnlimited:
      return std::make_unique<TbbRun<tbb::flow::queueing>>(shape, per_round, tbb::flow::unlimited);
    case TbbNodes::kLightweight:
      break;
  }
  return std::make_unique<TbbRun<tbb::flow::queueing_lightweight>>(
      shape, per_round, tbb::flow::unlimited);
}

}  // namespace millrace::bench
