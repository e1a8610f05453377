#include "bridge/redis_stream_components.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "bridge/redis_link.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/format/duration_text.h"
#include "graph/payload.h"
#include "net/address.h"
#include "stores/redis/protocol/resp_token.h"
#include "stores/redis/protocol/resp_value.h"

namespace millrace::bridge {
namespace {

using base::Result;
using base::Status;
using graph::ComponentSetup;
using graph::GraphContext;
using graph::InputMessage;
using graph::Invocation;
using graph::Payload;
using graph::PayloadKind;
using graph::PayloadMember;
using stores::RespType;
using stores::RespValue;

/// How long a call may take beyond the time that the server is asked to wait.
constexpr base::Duration kCallMax = std::chrono::seconds(5);

std::string text_field(const Payload& config, std::string_view name, std::string_view or_else) {
  const Payload* value = config.find_member(name);
  return std::string(value == nullptr ? or_else : value->find_text().value_or(or_else));
}

std::int64_t int_field(const Payload& config, std::string_view name, std::int64_t or_else) {
  const Payload* value = config.find_member(name);
  return value == nullptr ? or_else : value->find_int().value_or(or_else);
}

bool flag_field(const Payload& config, std::string_view name) {
  const Payload* value = config.find_member(name);
  return value != nullptr && value->find_bool() == true;
}

base::Duration duration_field(const Payload& config, std::string_view name) {
  if (const Payload* count = config.find_member(std::string(name) + "_ms")) {
    return graph::from_milliseconds(count->find_int().value_or(0));
  }
  return graph::find_duration(text_field(config, name, "0ms")).value_or(base::Duration::zero());
}

std::string find_address_fault(std::string_view text) {
  const auto address = net::parse_address(text);
  return address ? std::string() : address.error().message();
}

/// `123` or `123-4`; also the words for the begin and for what comes from now on.
std::string find_place_fault(std::string_view text) {
  if (text == "begin" || text == "now") return {};
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, number);
  bool is_good = read.ec == std::errc() && !text.empty();
  if (is_good && read.ptr != end) {
    is_good = *read.ptr == '-';
    if (is_good) read = std::from_chars(read.ptr + 1, end, number);
    is_good = is_good && read.ec == std::errc() && read.ptr == end;
  }
  return is_good ? std::string() : "Expected begin, now, or the id of an entry, as 1700000000000-0";
}

Result<std::unique_ptr<RedisLink>> make_link(const ComponentSetup& setup,
                                             const RedisLinkFactory& links) {
  RedisLinkSettings settings;
  MR_TRY(settings.address, net::parse_address(text_field(setup.config, "address", "")));
  settings.database = int_field(setup.config, "database", 0);
  const std::string variable = text_field(setup.config, "password_env", "");
  if (!variable.empty()) {
    const char* password = std::getenv(variable.c_str());
    if (password == nullptr) {
      return base::fail(
          base::ErrorCode::kInvalidArgument,
          base::format("The environment has no variable '{}' with the password", variable));
    }
    settings.password = password;
  }
  return links(settings);
}

/// An answer of the server as a payload; errors of the server are errors.
Result<RespValue> ask_server(RedisLink& link,
                             std::span<const std::string> words,
                             base::Duration wait_max) {
  MR_TRY(RespValue reply, link.call(words, wait_max));
  if (!reply.is_error()) return reply;
  return base::fail(base::ErrorCode::kNodeFailed,
                    base::format("Redis refused {}: {}", words.front(), reply.text));
}

/// `[id, [field, value, …]]` as `{"id": …, "fields": {…}}`; null if it is anything else.
Payload entry_payload(const RespValue& entry) {
  if (entry.elements.size() != 2) return {};
  const std::vector<RespValue>& parts = entry.elements[1].elements;
  std::vector<PayloadMember> fields;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const auto same = std::ranges::find(fields, parts[i].text, &PayloadMember::name);
    if (same == fields.end()) {
      fields.push_back({.name = parts[i].text, .value = Payload(parts[i + 1].text)});
    } else {
      same->value = Payload(parts[i + 1].text);
    }
  }
  return Payload::object({{.name = "id", .value = Payload(entry.elements[0].text)},
                          {.name = "fields", .value = Payload::object(std::move(fields))}});
}

std::optional<base::Duration> time_of(std::string_view id) {
  std::int64_t milliseconds = 0;
  if (std::from_chars(id.data(), id.data() + id.size(), milliseconds).ec != std::errc()) {
    return std::nullopt;
  }
  return graph::from_milliseconds(milliseconds);
}

/// `redis.stream_in`: the entries of a stream, one message each, from where it stopped.
class StreamInComponent final : public graph::Component {
 public:
  explicit StreamInComponent(RedisLinkFactory links) : links_(std::move(links)) {}

  Status configure(const ComponentSetup& setup) override {
    MR_TRY(link_, make_link(setup, links_));
    stream_ = text_field(setup.config, "stream", "");
    last_id_ = text_field(setup.config, "from", "now");
    if (last_id_ == "begin") last_id_ = "0-0";
    count_ = int_field(setup.config, "count", 100);
    block_ = duration_field(setup.config, "block");
    is_json_ = flag_field(setup.config, "json");
    has_status_ = setup.find_output("status").has_value();
    return {};
  }

  Status execute(const Invocation&, GraphContext& context) override {
    const auto answer = context.ask([this] { return read_entries(); });
    if (!answer) {
      const bool is_down = answer.error().code() == base::ErrorCode::kUnavailable ||
                           answer.error().code() == base::ErrorCode::kTimeout;
      // A server that never answered is a mistake in the file, unless somebody listens to `status`.
      const bool is_expected = is_up_.has_value() || has_status_;
      if (!is_down || !is_expected) return std::unexpected(answer.error());
      tell(context, false, answer.error().message());
      return {};
    }
    tell(context, true, {});
    if (const Payload* start = answer->find_member("start")) {
      last_id_ = std::string(start->find_text().value_or("0-0"));
    }
    const Payload* entries = answer->find_member("entries");
    if (entries == nullptr) return {};
    for (const Payload& entry : entries->items()) publish(entry, context);
    return {};
  }

  Result<std::optional<Payload>> snapshot() override {
    if (last_id_ == "now") return std::nullopt;
    return Payload::object({{.name = "last_id", .value = Payload(last_id_)}});
  }

  Status restore(const Payload& snapshot) override {
    const Payload* last = snapshot.find_member("last_id");
    const bool is_good =
        last != nullptr && last->find_text() && find_place_fault(*last->find_text()).empty();
    if (!is_good) {
      return base::fail(base::ErrorCode::kInvalidArgument, "Not the state of a redis.stream_in");
    }
    last_id_ = std::string(*last->find_text());
    return {};
  }

 private:
  /// `{"start": id, "entries": [{"id", "fields"}]}`; `start` only when it was looked up.
  Result<Payload> read_entries() {
    std::vector<PayloadMember> answer;
    std::string from = last_id_;
    if (from == "now") {
      MR_TRY(from, find_last_id());
      answer.push_back({.name = "start", .value = Payload(from)});
    }
    std::vector<std::string> words{"XREAD", "COUNT", std::to_string(count_)};
    if (block_ > base::Duration::zero()) {
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(block_).count();
      words.insert(words.end(), {"BLOCK", std::to_string(wait)});
    }
    words.insert(words.end(), {"STREAMS", stream_, from});
    MR_TRY(const RespValue reply, ask_server(*link_, words, block_ + kCallMax));
    std::vector<Payload> entries;
    // One stream was asked for: `[[name, entries]]`, or null if there is nothing new.
    if (!reply.elements.empty() && reply.elements[0].elements.size() == 2) {
      for (const RespValue& entry : reply.elements[0].elements[1].elements) {
        entries.push_back(entry_payload(entry));
      }
    }
    answer.push_back({.name = "entries", .value = Payload::array(std::move(entries))});
    return Payload::object(std::move(answer));
  }

  Result<std::string> find_last_id() {
    const std::vector<std::string> words{"XREVRANGE", stream_, "+", "-", "COUNT", "1"};
    MR_TRY(const RespValue reply, ask_server(*link_, words, kCallMax));
    if (reply.elements.empty() || reply.elements[0].elements.empty()) return std::string("0-0");
    return reply.elements[0].elements[0].text;
  }

  void publish(const Payload& entry, GraphContext& context) {
    const Payload* id = entry.find_member("id");
    const Payload* fields = entry.find_member("fields");
    if (id == nullptr || fields == nullptr || !id->find_text()) return;
    last_id_ = std::string(*id->find_text());
    std::vector<PayloadMember> members;
    for (const PayloadMember& field : fields->members()) {
      members.push_back(
          {.name = field.name, .value = is_json_ ? read_value(field.value) : field.value});
    }
    context.publish(
        "out", Payload::object(std::move(members)), {.event_time = time_of(*id->find_text())});
  }

  /// The JSON value that a text is, or the text.
  static Payload read_value(const Payload& text) {
    auto value = Payload::parse(text.find_text().value_or(""));
    return value ? *std::move(value) : text;
  }

  /// Tells when the server goes away and comes back, once each.
  void tell(GraphContext& context, bool is_up, const std::string& problem) {
    if (is_up_ == is_up) return;
    is_up_ = is_up;
    std::vector<PayloadMember> members{{.name = "ok", .value = Payload(is_up)}};
    if (!is_up) members.push_back({.name = "problem", .value = Payload(problem)});
    context.publish("status", Payload::object(std::move(members)));
  }

  const RedisLinkFactory links_;
  std::unique_ptr<RedisLink> link_;
  std::string stream_;
  std::string last_id_;
  std::int64_t count_ = 100;
  base::Duration block_{};
  bool is_json_ = false;
  bool has_status_ = false;
  std::optional<bool> is_up_;
};

/// `redis.stream_out`: adds messages to a stream.
class StreamOutComponent final : public graph::Component {
 public:
  explicit StreamOutComponent(RedisLinkFactory links) : links_(std::move(links)) {}

  Status configure(const ComponentSetup& setup) override {
    MR_TRY(link_, make_link(setup, links_));
    stream_ = text_field(setup.config, "stream", "");
    length_max_ = int_field(setup.config, "max_length", 0);
    return {};
  }

  Status execute(const Invocation& invocation, GraphContext& context) override {
    for (const InputMessage& input : invocation.messages()) {
      MR_TRY(const std::vector<std::string> words, command_of(input.message.value));
      MR_TRY(Payload id, context.ask([&]() -> Result<Payload> {
        MR_TRY(const RespValue reply, ask_server(*link_, words, kCallMax));
        return Payload(reply.text);
      }));
      context.publish("out", std::move(id));
    }
    return {};
  }

 private:
  Result<std::vector<std::string>> command_of(const Payload& message) const {
    std::vector<std::string> words{"XADD", stream_};
    if (length_max_ > 0) {
      words.insert(words.end(), {"MAXLEN", "~", std::to_string(length_max_)});
    }
    words.emplace_back("*");
    const auto add = [&words](const std::string& name, const Payload& value) {
      words.push_back(name);
      words.emplace_back(value.find_text() ? std::string(*value.find_text()) : value.to_json());
    };
    if (message.kind() != PayloadKind::kObject) {
      add("value", message);
      return words;
    }
    if (message.members().empty()) {
      return base::fail(base::ErrorCode::kInvalidArgument,
                        "An entry of a stream needs at least one field, and the message has none");
    }
    for (const PayloadMember& member : message.members()) add(member.name, member.value);
    return words;
  }

  const RedisLinkFactory links_;
  std::unique_ptr<RedisLink> link_;
  std::string stream_;
  std::int64_t length_max_ = 0;
};

std::vector<graph::ConfigField> server_fields() {
  return {{.name = "address",
           .kind = graph::ConfigKind::kText,
           .about = "HOST:PORT or unix:PATH",
           .is_required = true,
           .find_fault = &find_address_fault},
          {.name = "stream",
           .kind = graph::ConfigKind::kText,
           .about = "key of the stream",
           .is_required = true},
          {.name = "database", .about = "number of the database", .default_text = "0"},
          {.name = "password_env",
           .kind = graph::ConfigKind::kText,
           .about = "environment variable that holds the password"}};
}

}  // namespace

Status register_redis_stream_components(graph::ComponentRegistry& registry,
                                        RedisLinkFactory links) {
  graph::ComponentDescriptor in{
      .type = "redis.stream_in",
      .about = "publishes the entries of a Redis stream, one message each",
      .role = graph::BoundaryRole::kInput,
      .outputs = {{.name = "out"}, {.name = "status"}},
      .config = server_fields()};
  in.config.push_back({.name = "from",
                       .kind = graph::ConfigKind::kText,
                       .about = "where to begin: begin, now, or the id of the entry before",
                       .default_text = "\"now\"",
                       .find_fault = &find_place_fault});
  in.config.push_back({.name = "count",
                       .about = "entries per invocation at most",
                       .default_text = "100",
                       .min = 1,
                       .max = 100'000});
  in.config.push_back({.name = "block",
                       .kind = graph::ConfigKind::kDuration,
                       .about = "how long an invocation waits for entries",
                       .default_text = "\"0ms\""});
  in.config.push_back({.name = "json",
                       .kind = graph::ConfigKind::kBool,
                       .about = "values that are JSON become JSON values",
                       .default_text = "false"});
  MR_TRY_STATUS(
      registry.add(std::move(in), [links] { return std::make_unique<StreamInComponent>(links); }));
  graph::ComponentDescriptor out{.type = "redis.stream_out",
                                 .about = "adds each message to a Redis stream",
                                 .role = graph::BoundaryRole::kOutput,
                                 .outputs = {{.name = "out"}},
                                 .takes_any_input = true,
                                 .needs_an_input = true,
                                 .config = server_fields()};
  out.config.push_back({.name = "max_length",
                        .about = "entries that the stream keeps, about (0: all)",
                        .default_text = "0"});
  return registry.add(std::move(out),
                      [links] { return std::make_unique<StreamOutComponent>(links); });
}

}  // namespace millrace::bridge
