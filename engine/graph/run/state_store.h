#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sync/spin_mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/payload.h"
#include "graph/run/run_result.h"

namespace millrace::graph {

/// One state table at one moment.
struct StateTable {
  std::uint64_t epoch = 0;
  std::map<std::string, Payload, std::less<>> values = {};
};

/// All state tables at one moment; immutable while anybody but the store holds it.
struct StateSnapshot {
  std::map<std::string, std::shared_ptr<const StateTable>, std::less<>> tables = {};

  [[nodiscard]] std::optional<Payload> find(std::string_view table, std::string_view key) const;
};

/// The state tables of a graph. Writes are gathered during an epoch and become one new snapshot at
/// its end; readers hold a snapshot as long as they like.
/// Threading: not shared, but for `latest`; snapshots may be read by any thread.
class StateStore {
 public:
  struct Write {
    std::uint32_t component = 0;
    std::string table;
    std::string key;
    Payload value;
  };

  /// Applies a write, unless the key belongs to another component: the first that wrote it.
  /// Invisible until `commit`.
  [[nodiscard]] bool stage(Write write);
  /// Makes what was staged visible; gives how many writes there were.
  std::size_t commit(std::uint64_t epoch);
  [[nodiscard]] std::shared_ptr<const StateSnapshot> snapshot() const { return current_; }
  /// The same for any thread, which waits for nobody.
  [[nodiscard]] std::shared_ptr<const StateSnapshot> latest() const MR_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<StateTableView> view() const;

 private:
  std::shared_ptr<const StateSnapshot> current_ = std::make_shared<StateSnapshot>();
  std::vector<Write> staged_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> writers_;
  mutable base::SpinMutex mutex_;
  std::shared_ptr<const StateSnapshot> latest_ MR_GUARDED_BY(mutex_) = current_;
};

}  // namespace millrace::graph
