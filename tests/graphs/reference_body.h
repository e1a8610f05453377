#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/formats/json_document.h"
#include "graph/format/spec.h"
#include "reference_channel.h"

namespace millrace::graph_reference {

struct Publication {
  std::string value;
  std::optional<Duration> event_time = {};
};

/// What one call of a body did.
struct BodyResult {
  std::vector<Publication> published = {};  ///< on port `out`, the only one that built-ins have
  std::vector<std::string> printed = {};    ///< values that an output boundary got
  std::vector<std::pair<std::string, std::string>> written = {};  ///< keys and values of a table
  std::vector<std::string> tasks = {};                            ///< values that tasks give back
  Duration spent{};
  std::optional<double> residual = {};
  bool is_finished = false;
  bool has_failed = false;
};

/// An instance of a built-in component (section 6 of the contract).
class Body {
 public:
  explicit Body(const graph::ComponentSpec& spec) : spec_(&spec) {}

  [[nodiscard]] BodyResult call(const std::vector<Message>& inputs);
  /// How long a task of `core.task` takes, or empty text and durations for other types.
  [[nodiscard]] Duration task_delay() const { return duration("delay"); }
  [[nodiscard]] std::string table() const;

 private:
  [[nodiscard]] std::optional<base::JsonValue> find(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  [[nodiscard]] double number(const std::string& name, double otherwise) const;
  [[nodiscard]] Duration duration(const std::string& name) const;
  void counter(BodyResult& result);
  void values(BodyResult& result);
  [[nodiscard]] std::string linear(const std::string& value) const;
  [[nodiscard]] Duration cost() const;
  void relax(BodyResult& result);
  void table_rows(const Message& message, BodyResult& result) const;

  const graph::ComponentSpec* spec_;
  std::int64_t call_count_ = 0;
  std::int64_t value_count_ = 0;
  std::optional<double> x_ = {};
};

/// Gives a value as compact JSON.
[[nodiscard]] std::string compact_json(const base::JsonValue& value);

}  // namespace millrace::graph_reference
