#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/formats/json_reader.h"
#include "base/result.h"
#include "loop/task.h"
#include "net/http_message.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/column.h"
#include "rows/row_set.h"
#include "stores/http/http_fetch_client.h"
#include "stores/http/http_path.h"
#include "stores/http/http_value.h"
#include "stores/store_client.h"
#include "stores/store_task.h"
#include "stores/store_tasks.h"
#include "tasks/endpoint_client.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::stores {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using rows::RowIndex;

constexpr std::int64_t kBodyBytesDefault = std::int64_t{64} << 10;
constexpr double kBodyBytesMax = 16.0 * 1024 * 1024;
/// Answers up to this size are read on the loop; a worker reads more.
constexpr std::size_t kLoopBytesMax = std::size_t{64} << 10;

struct HttpFetchParams {
  std::optional<tasks::HttpEndpoint> endpoint;
  std::optional<std::string> path;
  std::optional<std::string> field;
  std::optional<tasks::OutKeyParam<tasks::AnyValue>> out_key;
  std::optional<tasks::KeyParam<tasks::AnyValue>> by;
  std::int64_t body_bytes_max = kBodyBytesDefault;
  HttpPath target;      // of path
  JsonPointer pointer;  // of field

  static void describe(tasks::ParamsDescription<HttpFetchParams>& params) {
    using P = HttpFetchParams;
    params.optional("endpoint", &P::endpoint, "HTTP endpoint to ask");
    params.optional("path",
                    &P::path,
                    "Path to GET. `{id}` in it makes one request per row, and so does `{by}`, the "
                    "value of the key `by`; both are percent-encoded. Without them one request "
                    "serves all rows");
    params.optional("field", &P::field, "Field of the JSON answer, as `/a/b` (RFC 6901)");
    params.optional("out_key", &P::out_key, "Key that gets the field");
    params.optional("by", &P::by, "Key whose value `{by}` stands for");
    params.optional("body_bytes_max",
                    &P::body_bytes_max,
                    "Longest answer that is read",
                    {.minimum = 1, .maximum = kBodyBytesMax});
  }

  [[nodiscard]] bool fetches() const { return endpoint.has_value(); }

  base::Status on_load(const plan::CompiledNode& node) {
    std::string missing;
    const auto need = [&missing](bool given, std::string_view name) {
      if (!given) missing += (missing.empty() ? "" : ", ") + std::string(name);
    };
    need(endpoint.has_value(), "endpoint");
    need(path.has_value(), "path");
    need(field.has_value(), "field");
    need(out_key.has_value(), "out_key");
    if (!endpoint && !path && !field && !out_key && !by) return {};
    if (!missing.empty()) {
      return fail(ErrorCode::kInvalidPlan,
                  "http_fetch needs endpoint, path, field and out_key, or none of them to fetch "
                  "nothing; missing: " +
                      missing,
                  node.id);
    }
    std::vector<std::string> names = {std::string(rows::kIdColumn)};
    if (by) names = {"by", by->name};
    MR_TRY(target, HttpPath::parse(*path, names));
    if (by && !target.has_value()) {
      return fail(
          ErrorCode::kInvalidPlan, "http_fetch has a `by` that its path does not use", node.id);
    }
    MR_TRY(pointer, JsonPointer::parse(*field));
    return {};
  }
};

/// The urls that a node fetches, each once, and the values they gave.
struct Wanted {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::string> targets;
  std::vector<std::uint32_t> target_of_row;  ///< by row of the batch
  std::vector<HttpValue> values;             ///< by target
};

class TargetList {
 public:
  explicit TargetList(std::size_t batch_rows) {
    wanted_.target_of_row.assign(batch_rows, Wanted::kNone);
  }
  void add(RowIndex row, std::string target) {
    const auto [place, is_new] =
        places_.try_emplace(std::move(target), static_cast<std::uint32_t>(places_.size()));
    if (is_new) wanted_.targets.push_back(place->first);
    wanted_.target_of_row[row] = place->second;
  }
  [[nodiscard]] Wanted finish() { return std::move(wanted_); }

 private:
  Wanted wanted_;
  std::unordered_map<std::string, std::uint32_t> places_;
};

/// Rows of a set, as indices into its batch.
std::vector<RowIndex> row_indices(const rows::RowSet& rows) {
  if (!rows.is_dense()) return {rows.indices().begin(), rows.indices().end()};
  std::vector<RowIndex> indices(rows.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] = static_cast<RowIndex>(rows.first_row() + i);
  }
  return indices;
}

Result<Wanted> list_targets(const rows::RowSet& rows,
                            const HttpFetchParams& params,
                            ParseErrors& errors) {
  TargetList list(rows.batch()->row_count());
  const std::vector<RowIndex> indices = row_indices(rows);
  if (!params.target.has_value()) {
    for (const RowIndex row : indices) list.add(row, params.target.fill({}));
    return list.finish();
  }
  const std::string name = params.by ? params.by->name : std::string(rows::kIdColumn);
  MR_TRY(const rows::Column* column, rows.batch()->get_column(name, "by"));
  for (const RowIndex row : indices) {
    if (column->is_null(row)) continue;
    std::string target;
    if (column->type() == rows::ColumnType::kInt64) {
      target = params.target.fill(std::to_string(column->int64s()[row]));
    } else if (column->type() == rows::ColumnType::kString) {
      target = params.target.fill(column->dictionary()->at(column->codes()[row]));
    } else {
      return fail(ErrorCode::kInvalidPlan,
                  "A path is made of an int or a string, not of a " +
                      std::string(to_string(column->type())) + ": " + name,
                  "by");
    }
    if (target.size() <= HttpPath::kBytesMax) {
      list.add(row, std::move(target));
      continue;
    }
    ++errors.count;
    if (!errors.keep.empty()) errors.keep[row] = 0;
  }
  return list.finish();
}

/// What an answer says; null for a page that does not exist.
Result<HttpValue> value_of(const Result<net::HttpReply>& answer,
                           const JsonPointer& field,
                           base::JsonReader& reader) {
  constexpr int kNotFound = 404;
  constexpr int kGone = 410;
  if (!answer) return std::unexpected(answer.error());
  if (answer->status == kNotFound || answer->status == kGone) return HttpValue{};
  if (answer->status >= 500 || answer->status == 429) {
    return fail(ErrorCode::kUnavailable,
                "The HTTP server failed with status " + std::to_string(answer->status));
  }
  if (answer->status < 200 || answer->status >= 300) {
    return fail(ErrorCode::kNodeFailed,
                "The HTTP server answered with status " + std::to_string(answer->status));
  }
  return read_field(answer->body, field, reader);
}

/// The values of all answers. Fails with the first that failed, in the order of the rows, so that
/// the error does not depend on who was faster; it names the url.
Result<std::vector<HttpValue>> values_of(const HttpAnswers& answers,
                                         const std::vector<std::string>& targets,
                                         const JsonPointer& field) {
  base::JsonReader reader;
  std::vector<HttpValue> values;
  values.reserve(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Result<HttpValue> value = value_of(answers[i], field, reader);
    if (!value) {
      return fail(value.error().code(), value.error().message() + ": GET " + targets[i]);
    }
    values.push_back(*std::move(value));
  }
  return values;
}

std::size_t body_bytes(const HttpAnswers& answers) {
  std::size_t bytes = 0;
  for (const auto& answer : answers) bytes += answer ? answer->body.size() : 0;
  return bytes;
}

loop::Task<Result<std::vector<HttpValue>>> fetch_values(HttpFetchClient* client,
                                                        const HttpFetchParams* params,
                                                        std::vector<std::string> targets,
                                                        tasks::TaskContext context) {
  context.stats().store_commands += targets.size();
  ++context.stats().store_round_trips;
  const CallOptions options{.stop = context.stop_token(), .deadline = context.deadline()};
  HttpBatch batch{.targets = targets,
                  .body_bytes_max = static_cast<std::size_t>(params->body_bytes_max)};
  tasks::StoreCallLog* const calls = context.stats().calls;
  const std::size_t call = calls != nullptr ? calls->begin(targets.size()) : 0;
  base::Result<HttpAnswers> fetched = co_await client->get_all(std::move(batch), options);
  if (calls != nullptr) {
    fetched ? calls->end(call, 1) : calls->fail(call, fetched.error().code());
  }
  MR_CO_TRY(HttpAnswers answers, std::move(fetched));
  if (body_bytes(answers) <= kLoopBytesMax) {
    co_return values_of(answers, targets, params->pointer);
  }
  // The work may outlive the request, so it owns what it reads.
  auto read = [answers = std::move(answers),
               targets = std::move(targets),
               field = params->pointer] { return values_of(answers, targets, field); };
  co_return co_await context.offload(std::move(read));
}

Result<rows::RowSet> add_values(const rows::RowSet& rows,
                                const HttpFetchParams& params,
                                const Wanted& wanted,
                                ParseErrors errors,
                                const tasks::TaskContext& context) {
  MR_TRY_STATUS(report_errors(errors.count, "The url of a row is too long", context));
  const std::size_t before = errors.count;
  std::vector<const HttpValue*> by_row(wanted.target_of_row.size(), nullptr);
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    const std::uint32_t target = wanted.target_of_row[row];
    if (target != Wanted::kNone) by_row[row] = &wanted.values[target];
  }
  rows::ColumnRef column =
      make_value_column(params.out_key->type, by_row, context.scratch(), errors);
  MR_TRY_STATUS(report_errors(errors.count - before,
                              "A fetched value is no " +
                                  std::string(to_string(params.out_key->type)) + ": " +
                                  params.out_key->name,
                              context));
  MR_TRY(rows::BatchRef batch, rows.batch()->with_column(params.out_key->name, std::move(column)));
  return drop_failed(rows.with_batch(std::move(batch)), errors, context);
}

loop::Task<Result<rows::RowSet>> http_fetch(rows::RowSet rows,
                                            const HttpFetchParams* params,
                                            tasks::TaskContext context) {
  if (!params->fetches()) co_return std::move(rows);
  tasks::EndpointClient* const client = context.find_client(params->endpoint->id);
  if (client == nullptr || client->client_kind() != tasks::ClientKind::kHttp) {
    co_return fail(
        ErrorCode::kUnavailable,
        "The node's endpoint has no http client in this environment; `rankd doctor` says why",
        context.node().id);
  }
  ParseErrors errors = begin_errors(rows.batch()->row_count(), context);
  MR_CO_TRY(Wanted wanted, list_targets(rows, *params, errors));
  if (!wanted.targets.empty()) {
    MR_CO_TRY(
        wanted.values,
        co_await fetch_values(
            static_cast<HttpFetchClient*>(client), params, std::move(wanted.targets), context));
  }
  co_return add_values(rows, *params, wanted, std::move(errors), context);
}

}  // namespace

base::Status register_http_fetch(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "http_fetch",
       .doc = "GETs a JSON document per row, or one for all, and puts one of its fields into a "
              "column. All requests leave at once, each url once. A page that does not exist (404, "
              "410) and a field that is missing are null; a field that is not of the key's type is "
              "null and counts as a row error. Any other status, an answer that is no JSON, and a "
              "server that does not answer fail the node. Without endpoint, path, field and "
              "out_key it fetches nothing and gives its rows.",
       .kind = plan::TaskKind::kAsync,
       .rows = plan::OutputRows::kSubset,
       .can_fail = true,
       .cost_fixed = std::chrono::microseconds(20),
       .cost_per_row = std::chrono::microseconds(15)},
      http_fetch);
}

}  // namespace millrace::stores
