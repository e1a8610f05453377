#include "server/query_fields.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/problems/message_text.h"
#include "net/http/http_target.h"

namespace millrace::server {
namespace {

constexpr std::string_view kPretty = "pretty";

std::unexpected<RequestProblem> refuse_query(std::string_view code, std::string detail) {
  return std::unexpected(RequestProblem{.code = code, .detail = std::move(detail)});
}

template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

std::expected<void, RequestProblem> write_ids(std::string_view list, base::JsonWriter& json) {
  json.key("explain");
  json.begin_object();
  json.key("ids");
  json.begin_array();
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const auto id = parse_all<std::int64_t>(list.substr(0, comma));
    if (!id) {
      return refuse_query("wrong_type",
                          "'explain' in the query must be ids separated by commas, as explain=1,2");
    }
    json.value(*id);
    if (comma == list.size()) break;
    list.remove_prefix(comma + 1);
  }
  json.end_array();
  json.end_object();
  return {};
}

std::unexpected<RequestProblem> not_a(std::string_view what, std::string_view name) {
  return refuse_query("wrong_type", base::format("'{}' in the query must be {}", name, what));
}

template <class Number>
std::expected<void, RequestProblem> write_number(const QueryFields& query,
                                                 std::string_view name,
                                                 std::string_view what,
                                                 base::JsonWriter& json) {
  const auto text = query.find(name);
  if (!text) return {};
  const auto number = parse_all<Number>(*text);
  if (!number) return not_a(what, name);
  json.member(name, *number);
  return {};
}

}  // namespace

std::expected<QueryFields, RequestProblem> QueryFields::read(std::string_view query,
                                                             std::span<const QueryField> known) {
  QueryFields fields;
  net::HttpQueryItem item;
  std::string name;
  std::string value;
  while (net::try_take_query_item(query, item)) {
    if (!net::try_decode_query(item.name, name) || !net::try_decode_query(item.value, value))
      return refuse_query("bad_value", "The query has a percent sign without two hex digits");
    std::vector<std::string_view> names{kPretty};
    for (const QueryField& field : known) names.push_back(field.name);
    if (std::ranges::find(names, name) == names.end()) {
      return refuse_query("unknown_field",
                          base::format("The query has a field '{}' that is not known here{}",
                                       base::shortened(name),
                                       base::did_you_mean(name, names)));
    }
    if (fields.find(name))
      return refuse_query("bad_value", base::format("The query has '{}' twice", name));
    fields.fields_.emplace_back(name, value);
  }
  return fields;
}

std::optional<std::string_view> QueryFields::find(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

bool QueryFields::wants_pretty() const {
  const auto value = find(kPretty);
  return value && *value != "0" && *value != "false";
}

std::expected<bool, RequestProblem> QueryFields::find_flag(std::string_view name) const {
  const auto value = find(name);
  if (!value || *value == "0" || *value == "false") return false;
  if (value->empty() || *value == "1" || *value == "true") return true;
  return not_a("1 or 0", name);
}

std::expected<void, RequestProblem> write_request(const QueryFields& query, std::string& out) {
  base::JsonWriter json(out);
  json.begin_object();
  if (auto done = write_number<std::int64_t>(query, "user_id", "a whole number", json); !done)
    return done;
  if (auto done = write_number<std::int64_t>(query, "limit", "a whole number", json); !done)
    return done;
  if (auto done = write_number<double>(query, "deadline_ms", "a number", json); !done) return done;
  if (auto done =
          write_number<std::uint64_t>(query, "seed", "a whole number that is not negative", json);
      !done)
    return done;
  if (const auto priority = query.find("priority")) json.member("priority", *priority);
  if (const auto ids = query.find("explain")) {
    if (auto done = write_ids(*ids, json); !done) return done;
  }
  const auto trace = query.find_flag("trace");
  if (!trace) return std::unexpected(trace.error());
  if (query.find("trace")) json.member("trace", *trace);
  json.end_object();
  return {};
}

}  // namespace millrace::server
