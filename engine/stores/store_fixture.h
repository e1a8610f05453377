#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/check.h"
#include "plan/param_value.h"
#include "stores/embedded_client.h"
#include "stores/embedded_store.h"
#include "stores/key_list.h"
#include "stores/store_client.h"
#include "stores/store_tasks.h"
#include "tasks/task_fixture.h"

// Runs store tasks on data that stands in the test.

namespace millrace::stores::testing {

/// The rig of tasks, with the tasks of this module and one store as endpoint 0.
class StoreRig : public tasks::testing::TaskRig {
 public:
  explicit StoreRig(std::string_view data)
      : client(EmbeddedStore::parse(data, "test data").value()) {
    MR_CHECK(register_store_tasks(registry).has_value());
    clients = {&client};
  }

  static plan::ParamValue endpoint() { return plan::EndpointId{0}; }

  EmbeddedClient client;
};

inline KeyList make_keys(std::initializer_list<std::string_view> texts, rows::RowScratch& scratch) {
  KeyListBuilder builder(scratch, "", "", texts.size());
  for (const std::string_view key : texts) builder.add(key);
  return builder.finish();
}

}  // namespace millrace::stores::testing
