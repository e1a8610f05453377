#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "runtime/task.h"
#include "stores/store_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::stores {
namespace {

constexpr std::int64_t kBodyBytesDefault = std::int64_t{64} << 10;
constexpr double kBodyBytesMax = 16.0 * 1024 * 1024;

struct HttpFetchParams {
  tasks::HttpEndpoint endpoint;
  std::string path;
  std::string field;
  tasks::OutKeyParam out_key;
  std::optional<tasks::KeyParam> by;
  std::int64_t body_bytes_max = kBodyBytesDefault;

  static void describe(tasks::ParamsDescription<HttpFetchParams>& params) {
    using P = HttpFetchParams;
    params.required("endpoint", &P::endpoint, "HTTP endpoint to ask");
    params.required("path", &P::path, "Path to GET; `{by}` in it is the value of the key `by`");
    params.required("field", &P::field, "Field of the JSON answer, as `/a/b`");
    params.required("out_key", &P::out_key, "Key that gets the field");
    params.optional("by", &P::by, "Key that makes one request per row; without it one for all");
    params.optional("body_bytes_max",
                    &P::body_bytes_max,
                    "Longest answer that is read",
                    {.minimum = 1, .maximum = kBodyBytesMax});
  }
};

runtime::Task<base::Result<rows::RowSet>> http_fetch(rows::RowSet,
                                                     const HttpFetchParams*,
                                                     tasks::TaskContext context) {
  co_return base::fail(
      base::ErrorCode::kUnavailable, "no http client in this build", context.node().id);
}

}  // namespace

base::Status register_http_fetch(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "http_fetch",
       .doc = "GETs a JSON document per row, or one for all, and puts one of its fields into a "
              "column. This build has no HTTP client: the task fails with `unavailable`.",
       .kind = plan::TaskKind::kAsync,
       .rows = plan::OutputRows::kSame,
       .can_fail = true},
      http_fetch);
}

}  // namespace millrace::stores
