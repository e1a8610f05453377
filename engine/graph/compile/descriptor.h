#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/format/words.h"

namespace millrace::graph {

/// The payload type that fits every other.
inline constexpr std::string_view kAnyPayload = "json";

struct InputPort {
  std::string name;
  std::string payload = std::string(kAnyPayload);
  bool is_required = false;  ///< needs an edge
  bool is_single = false;    ///< takes one edge at most
};

struct OutputPort {
  std::string name;
  std::string payload = std::string(kAnyPayload);
};

enum class ConfigKind : std::uint8_t {
  kInt,
  kNumber,
  kBool,
  kText,
  kDuration,  ///< under its name with a unit, or under its name + `_ms` as an integer
  kArray,
  kIntArray,
  kDurationArray,
};

struct ConfigField {
  std::string name;
  ConfigKind kind = ConfigKind::kInt;
  std::string about;
  std::string default_text = {};  ///< as JSON; empty: none
  bool is_required = false;
  bool is_fixed = false;          ///< is read when the component starts, and never again
  std::int64_t min = 0;           ///< of integers
  std::int64_t max = INT64_MAX;   ///< of integers
  std::string excludes = {};      ///< a field that cannot be given at the same time
  std::string same_size_as = {};  ///< an array field that must have as many items
  /// Of texts: gives what is wrong with one, or an empty text; may be nullptr.
  std::string (*find_fault)(std::string_view text) = nullptr;
};

/// When a component without a trigger stops running in every epoch.
enum class Finishes : std::uint8_t {
  kNever,
  kAlways,
  kWithCount /**< if config `count` is above 0 */
};

/// What a component type is, as data: enough to check a file without making a component.
struct ComponentDescriptor {
  std::string type;
  std::string about;
  BoundaryRole role = BoundaryRole::kNone;
  std::vector<InputPort> inputs = {};
  std::vector<OutputPort> outputs = {};
  bool takes_any_input = false;  ///< inputs of any name, besides `inputs`
  bool needs_an_input = false;   ///< at least one edge, to whatever input
  std::string any_input_payload = std::string(kAnyPayload);
  /// A config field; where it is given, such inputs take any payload.
  std::string any_payload_with = {};
  std::vector<ConfigField> config = {};
  bool is_host_driven = false;  ///< the host or a stream from outside causes its invocations
  Finishes finishes = Finishes::kNever;
  /// The config field that names the state table it writes to; empty: it writes none that plans
  /// could read.
  std::string table_field = {};
};

/// Whether messages of one payload type can be given to a port of another.
[[nodiscard]] constexpr bool payload_fits(std::string_view from, std::string_view to) {
  return from == to || from == kAnyPayload || to == kAnyPayload;
}

}  // namespace millrace::graph
