#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/shape.h"

namespace millrace::bench {

/// How DAGs are submitted.
enum class Mode : std::uint8_t {
  kSubmitAndWait,  ///< one at a time, the caller waits (and helps if the engine allows it)
  kInFlight,       ///< many at a time, each completion submits the next
  kCold,           ///< a single run of a newly built DAG
};

/// One thing to measure on every engine.
struct Case {
  std::string name;  ///< the shape's name, with a suffix for other modes than submit-and-wait
  Shape shape;
  std::string body;    ///< one of `body_names`
  double unit_ns = 0;  ///< time of a node of cost 1; 0 is the empty body
  Mode mode = Mode::kSubmitAndWait;
  std::size_t slot_count = 1;
};

inline constexpr std::size_t kInFlightSlots = 64;
inline constexpr NodeIndex kNarrowWidthMin = 2;
inline constexpr NodeIndex kNarrowWidthMax = 64;

/// A body: the time that a node of cost 1 takes.
struct BodyLength {
  std::string_view name;
  double ns = 0;  ///< 0 is the empty body
};

/// The bodies that all core shapes are measured with, from nothing to 20 us.
[[nodiscard]] std::span<const BodyLength> core_bodies();
/// Those of all cases, in the order of the report: the core ones, "mixed" and "1ms".
[[nodiscard]] std::vector<std::string_view> body_names();
/// Says whether a case is measured on every engine; others leave out the variants of our own that
/// only show what a single mechanism gains.
[[nodiscard]] bool is_for_all_engines(const Case& entry);
/// Says whether the short form measures a case: all but the siblings of 1 ms, and bodies of 5 us
/// and more in shapes of several hundred nodes, one run of which takes milliseconds.
[[nodiscard]] bool is_in_short_form(const Case& entry);

/// Lists the shapes over which geometric means are taken: those that are measured with all core
/// bodies, submitted and waited for.
[[nodiscard]] std::vector<Shape> core_shapes();

/// Lists every case. `unit_scale` < 1 shortens bodies for a smoke run; such a run also leaves out
/// most of the bodies and of the narrow fans.
[[nodiscard]] std::vector<Case> make_suite(double unit_scale);

/// Says whether a case belongs to the narrow fans of 1 ms siblings (contract P5), which take long
/// and are measured on the main engines only.
[[nodiscard]] bool is_narrow(const Case& entry);

/// Gives the name of the case of the narrow fan of `width` siblings.
[[nodiscard]] std::string narrow_name(NodeIndex width, bool cold);

}  // namespace millrace::bench
