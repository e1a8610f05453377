#include "server/pages/openapi.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "server/problem.h"
#include "server/route_table.h"

namespace millrace::server {
namespace {

using base::JsonWriter;

constexpr std::string_view kPlanPart = "{plan}";
// Of `examples/graphs/trending/trending.yaml`.
constexpr std::string_view kExampleGraph = "trending";
constexpr std::string_view kExampleComponent = "counts";

std::string with_plan(std::string_view path, std::string_view plan) {
  std::string text(path);
  if (const std::size_t at = text.find(kPlanPart); at != std::string::npos)
    text.replace(at, kPlanPart.size(), plan);
  return text;
}

bool takes_request(const Route& route) {
  return route.action == RouteAction::kRank || route.action == RouteAction::kExplainRequest;
}

bool ranks(const Route& route) {
  return takes_request(route) || route.action == RouteAction::kRankByQuery;
}

void write_schema_reference(JsonWriter& json, std::string_view name) {
  json.key("schema");
  json.begin_object();
  json.member("$ref", base::format("#/components/schemas/{}", name));
  json.end_object();
}

void write_parameter(JsonWriter& json,
                     std::string_view place,
                     const QueryField& field,
                     std::string_view example) {
  json.begin_object();
  json.member("name", field.name);
  json.member("in", place);
  json.member("required", field.is_required);
  json.member("description", field.help);
  json.key("schema");
  json.begin_object();
  json.member("type", field.type);
  json.end_object();
  if (!example.empty()) json.member("example", example);
  json.end_object();
}

void write_parameters(JsonWriter& json, const Route& route) {
  json.key("parameters");
  json.begin_array();
  if (route.path.find(kPlanPart) != std::string_view::npos)
    write_parameter(json, "path", {"plan", "string", "name of a plan", true}, route.example_plan);
  if (route.path.find("{graph}") != std::string_view::npos)
    write_parameter(json, "path", {"graph", "string", "name of the graph", true}, kExampleGraph);
  if (route.path.find("{component}") != std::string_view::npos) {
    write_parameter(
        json, "path", {"component", "string", "id of a component", true}, kExampleComponent);
  }
  for (const QueryField& field : route.query) write_parameter(json, "query", field, {});
  if (route.reply_type == "application/json")
    write_parameter(json, "query", {"pretty", "string", "1: indented"}, {});
  if (ranks(route) || route.action == RouteAction::kBatch) {
    write_parameter(
        json, "header", {"X-Request-Id", "string", "id of requests whose body has none"}, {});
    write_parameter(
        json, "header", {"X-Deadline-Ms", "number", "time for the answer, in milliseconds"}, {});
  }
  json.end_array();
}

void write_request_body(JsonWriter& json, const Route& route) {
  if (route.example_body.empty()) return;
  const bool is_batch = route.action == RouteAction::kBatch;
  json.key("requestBody");
  json.begin_object();
  json.member("required", true);
  json.key("content");
  json.begin_object();
  json.key(is_batch ? "application/x-ndjson" : "application/json");
  json.begin_object();
  if (takes_request(route)) write_schema_reference(json, "Request");
  if (is_batch) {
    json.member("example", route.example_body);
  } else {
    json.raw_member("example", route.example_body);
  }
  json.end_object();
  json.end_object();
  json.end_object();
}

void write_responses(JsonWriter& json, const Route& route) {
  json.key("responses");
  json.begin_object();
  json.key("200");
  json.begin_object();
  json.member("description", ranks(route) ? "The candidates, all or degraded" : "The page");
  json.key("content");
  json.begin_object();
  json.key(route.reply_type);
  json.begin_object();
  if (ranks(route)) write_schema_reference(json, "Answer");
  json.end_object();
  json.end_object();
  json.end_object();
  json.key("default");
  json.begin_object();
  json.member("$ref", "#/components/responses/Problem");
  json.end_object();
  json.end_object();
}

void write_operation(JsonWriter& json, const Route& route) {
  json.key(route.method == "GET" ? "get" : route.method == "PUT" ? "put" : "post");
  json.begin_object();
  json.member("operationId", route.id);
  json.member("summary", route.summary);
  write_parameters(json, route);
  write_request_body(json, route);
  write_responses(json, route);
  json.end_object();
}

void write_paths(JsonWriter& json) {
  json.key("paths");
  json.begin_object();
  std::set<std::string_view> written;
  for (const Route& route : route_table()) {
    if (!written.insert(route.path).second) continue;
    json.key(route.path);
    json.begin_object();
    for (const Route& other : route_table()) {
      if (other.path == route.path) write_operation(json, other);
    }
    json.end_object();
  }
  json.end_object();
}

constexpr std::string_view kRequestSchema =
    R"({"type":"object","required":["user_id"],"additionalProperties":false,"properties":{)"
    R"("request_id":{"type":"string"},"user_id":{"type":"integer"},"plan":{"type":"string"},)"
    R"("plan_version":{"type":"string"},"fragment_versions":{"type":"object"},)"
    R"("params":{"type":"object"},"param_overrides":{"type":"object"},)"
    R"("deadline_ms":{"type":"number"},"limit":{"type":"integer"},)"
    R"("exclude":{"type":"array","items":{"type":"integer"}},)"
    R"("output_keys":{"type":"array","items":{"type":"string"}},)"
    R"("candidates":{"type":"array","maxItems":10000,"items":{"anyOf":[{"type":["integer","string"]},)"
    R"({"type":"object","required":["id"],"properties":{"id":{"type":["integer","string"]}}}]}},)"
    R"("priority":{"enum":["high","normal","low","background"]},"seed":{"type":"integer"},)"
    R"("explain":{"type":"object","properties":{"ids":{"type":"array","items":{"type":"integer"}}}},)"
    R"("trace":{"type":"boolean"},"scheduling":{"type":"object"}}})";

constexpr std::string_view kAnswerSchema =
    R"({"type":"object","required":["engine_request_id","plan","candidates","took_ms","degraded"],)"
    R"("properties":{"request_id":{"type":["string","null"]},"engine_request_id":{"type":"string"},)"
    R"("plan":{"type":"object"},"candidates":{"type":"array","items":{"type":"object",)"
    R"("required":["id","fields"],"properties":{"id":{"type":["integer","string"]},)"
    R"("fields":{"type":"object"}}}},"took_ms":{"type":"number"},)"
    R"("degraded":{"type":"object","properties":{"is":{"type":"boolean"},)"
    R"("reasons":{"type":"array","items":{"type":"object"}}}},)"
    R"("warnings":{"type":"array","items":{"type":"string"}},)"
    R"("state":{"type":"object","properties":{"graph":{"type":"string"},"tables":{"type":"object",)"
    R"("additionalProperties":{"type":"integer"}}}},"explain":{"type":"array"},)"
    R"("trace":{"type":"object"}}})";

void write_problem_schema(JsonWriter& json) {
  json.key("Problem");
  json.begin_object();
  json.member("type", "object");
  json.key("properties");
  json.begin_object();
  for (const std::string_view name : {"type", "title", "detail", "request_id", "engine_request_id"})
    json.raw_member(name, R"({"type":"string"})");
  json.raw_member("status", R"({"type":"integer"})");
  json.key("error");
  json.begin_object();
  json.member("type", "object");
  json.key("properties");
  json.begin_object();
  json.key("code");
  json.begin_object();
  json.key("enum");
  json.begin_array();
  for (const ProblemEntry& entry : problem_table()) json.value(entry.code);
  json.end_array();
  json.end_object();
  json.raw_member("message", R"({"type":"string"})");
  json.end_object();
  json.end_object();
  json.end_object();
  json.end_object();
}

}  // namespace

std::string openapi_document() {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("openapi", "3.1.0");
  json.raw_member("info",
                  R"({"title":"rankd","version":"1","description":"Ranks requests with plans."})");
  write_paths(json);
  json.key("components");
  json.begin_object();
  json.key("schemas");
  json.begin_object();
  json.raw_member("Request", kRequestSchema);
  json.raw_member("Answer", kAnswerSchema);
  write_problem_schema(json);
  json.end_object();
  json.key("responses");
  json.begin_object();
  json.raw_member("Problem",
                  R"({"description":"What went wrong","content":{"application/problem+json":)"
                  R"({"schema":{"$ref":"#/components/schemas/Problem"}}}})");
  json.end_object();
  json.end_object();
  json.end_object();
  return out;
}

std::string api_reference() {
  std::string out =
      "<!-- Printed from the table of routes by api_page; do not edit. -->\n"
      "# HTTP API of rankd\n\n"
      "What `rankd serve` answers. `GET /openapi.json` gives the same for machines (OpenAPI "
      "3.1).\n\n"
      "| Route | Does | Query |\n|---|---|---|\n";
  for (const Route& route : route_table()) {
    std::string query;
    for (const QueryField& field : route.query)
      query += base::format("{}`{}`: {}", query.empty() ? "" : "; ", field.name, field.help);
    out += base::format("| `{} {}` | {}{} | {} |\n",
                        route.method,
                        route.path,
                        route.summary,
                        route.access == RouteAccess::kMetrics
                            ? "; only on the admin listener if there is one"
                        : route.access == RouteAccess::kAdmin ? "; only on the admin listener"
                                                              : "",
                        query.empty() ? "–" : query);
  }
  out +=
      "\nEvery JSON page takes `pretty=1`. HEAD works wherever GET does.\n\n"
      "## Problems\n\n"
      "Errors are `application/problem+json` (RFC 9457). `type` is `urn:millrace:error:` and one "
      "of "
      "these codes, which\n`error.code` repeats:\n\n"
      "| Status | Code | Means |\n|---|---|---|\n";
  for (const ProblemEntry& entry : problem_table())
    out += base::format("| {} | `{}` | {} |\n", entry.status, entry.code, entry.title);
  out +=
      "\n`cancelled` is written to the log only: nobody is there to read it. 429 and 503 have "
      "`Retry-After`.\n";
  return out;
}

std::string index_page(const IndexReader& reader) {
  std::string out = "rankd: ranking plans over HTTP. Try:\n\n";
  for (const Route& route : route_table()) {
    if (route.action == RouteAction::kIndex || route.path.find("{graph}") != std::string::npos ||
        !exists_on(route, reader.listener, reader.has_admin))
      continue;
    const std::string path = with_plan(route.path, reader.plan);
    const std::string query =
        route.example_query.empty() ? "" : base::format("?{}", route.example_query);
    if (route.method == "GET") {
      out += base::format("  curl 'http://{}{}{}'\n", reader.address, path, query);
    } else if (takes_request(route) && !route.example_plan.empty()) {
      out +=
          base::format("  curl 'http://{}{}' -d '{}'\n", reader.address, path, route.example_body);
    }
  }
  return out;
}

}  // namespace millrace::server
