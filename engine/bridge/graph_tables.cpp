#include "bridge/graph_tables.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/formats/json_writer.h"
#include "base/sync/spin_mutex.h"
#include "graph/compile/descriptor.h"
#include "graph/payload.h"

namespace millrace::bridge {

void PinnedTables::append_json(std::string& out) const {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("graph", graph_);
  json.key("tables");
  json.begin_object();
  for (const std::string& name : names_) {
    const auto table = snapshot_->tables.find(name);
    json.member(name, table == snapshot_->tables.end() ? std::uint64_t{0} : table->second->epoch);
  }
  json.end_object();
  json.end_object();
}

std::vector<std::string> written_tables(const graph::CompiledGraph& graph,
                                        const graph::ComponentRegistry& types) {
  std::vector<std::string> names;
  for (const graph::CompiledComponent& component : graph.components) {
    const graph::ComponentDescriptor* const type = types.find(component.type);
    if (type == nullptr || type->table_field.empty()) continue;
    const graph::Payload* const field = component.config.find_member(type->table_field);
    if (field == nullptr || !field->find_text()) continue;
    names.emplace_back(*field->find_text());
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

void GraphTables::attach(const graph::Runtime& runtime) {
  const base::SpinLock lock(mutex_);
  runtime_ = &runtime;
}

void GraphTables::detach() {
  std::shared_ptr<const graph::StateSnapshot> before;
  const base::SpinLock lock(mutex_);
  if (runtime_ == nullptr) return;
  before = std::exchange(last_, runtime_->state());
  runtime_ = nullptr;
}

std::shared_ptr<const tasks::PinnedState> GraphTables::pin() const {
  std::shared_ptr<const graph::StateSnapshot> now;
  {
    const base::SpinLock lock(mutex_);
    now = runtime_ != nullptr ? runtime_->state() : last_;
  }
  return std::make_shared<PinnedTables>(graph_, names_, std::move(now));
}

}  // namespace millrace::bridge
