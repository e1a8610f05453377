#include "stores/store_tasks.h"

#include "base/result.h"
#include "tasks/task_registry.h"

namespace millrace::stores {

base::Status register_store_tasks(tasks::TaskRegistry& registry) {
  const auto all = {register_follow,
                    register_http_fetch,
                    register_hydrate,
                    register_list,
                    register_lookup,
                    register_media,
                    register_recommendation,
                    register_set_members,
                    register_sorted_set,
                    register_viewer};
  for (const auto add : all) MR_TRY_STATUS(add(registry));
  return {};
}

}  // namespace millrace::stores
