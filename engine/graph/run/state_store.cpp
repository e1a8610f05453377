#include "graph/run/state_store.h"

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
#include "graph/payload.h"
#include "graph/run/run_result.h"

namespace millrace::graph {

std::optional<Payload> StateSnapshot::find(std::string_view table, std::string_view key) const {
  const auto found = tables.find(table);
  if (found == tables.end()) return std::nullopt;
  const auto value = found->second->values.find(key);
  if (value == found->second->values.end()) return std::nullopt;
  return value->second;
}

bool StateStore::stage(Write write) {
  const auto [owner, is_new] = writers_.try_emplace({write.table, write.key}, write.component);
  if (!is_new && owner->second != write.component) return false;
  staged_.push_back(std::move(write));
  return true;
}

std::size_t StateStore::commit(std::uint64_t epoch) {
  const std::size_t count = staged_.size();
  if (count == 0) return 0;
  auto next = std::make_shared<StateSnapshot>(*current_);
  std::map<std::string, std::shared_ptr<StateTable>> changed;
  for (Write& write : staged_) {
    std::shared_ptr<StateTable>& table = changed[write.table];
    if (table == nullptr) {
      const auto old = next->tables.find(write.table);
      table = old == next->tables.end() ? std::make_shared<StateTable>()
                                        : std::make_shared<StateTable>(*old->second);
      table->epoch = epoch;
    }
    table->values.insert_or_assign(std::move(write.key), std::move(write.value));
  }
  staged_.clear();
  for (auto& [name, table] : changed) next->tables.insert_or_assign(name, std::move(table));
  current_ = std::move(next);
  std::shared_ptr<const StateSnapshot> shown = current_;
  {
    const base::SpinLock lock(mutex_);
    latest_.swap(shown);
  }
  return count;
}

std::shared_ptr<const StateSnapshot> StateStore::latest() const {
  const base::SpinLock lock(mutex_);
  return latest_;
}

std::vector<StateTableView> StateStore::view() const {
  std::vector<StateTableView> tables;
  for (const auto& [name, table] : current_->tables) {
    StateTableView& view = tables.emplace_back(StateTableView{.name = name, .epoch = table->epoch});
    for (const auto& [key, value] : table->values) {
      view.values.push_back({.key = key, .value = value});
    }
  }
  return tables;
}

}  // namespace millrace::graph
