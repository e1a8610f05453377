#pragma once

#include <cstdint>

#include "trace/trace.h"
#include "trace/trace_record.h"

// What a caller says about the trace of one run.

namespace millrace::trace {

/// Scrambles 64 bits, one to one (the finaliser of SplitMix64).
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/// What a traced run carries: its trace id and the events it wants. Small, copied by value.
struct TraceContext {
  TraceContext() = default;
  /// Any flag turns `RunEnd` on too, since a run's trace is delivered when its `RunEnd` is read.
  TraceContext(TraceId id, TraceFlag wanted, TraceTopologyId dag)
      : trace_id(id),
        span_seed(mix_bits(id.value())),
        topology(dag),
        flags(wanted == TraceFlag::None ? wanted : wanted | TraceFlag::RunEnd) {}

  /// Says whether the run is traced: the only check that an untraced run makes.
  [[nodiscard]] bool enabled() const {
#ifdef MR_NO_TRACE  // a build without trace code, to measure its cost (bench/scheduler)
    return false;
#else
    return flags != TraceFlag::None;
#endif
  }
  [[nodiscard]] bool wants(TraceFlag flag) const { return has_flag(flags, flag); }

  /// Gives the id of one attempt at one node: a function of its arguments and the trace id,
  /// distinct for distinct arguments, so that every thread computes the same id without
  /// communication.
  [[nodiscard]] SpanId node_span(std::uint32_t node_index, std::uint16_t attempt = 0) const {
    return span_of((std::uint64_t{attempt} << 33) | (std::uint64_t{node_index} << 1) | 1);
  }
  [[nodiscard]] SpanId run_span() const { return span_of(0); }

  TraceId trace_id;
  std::uint64_t span_seed = 0;
  TraceTopologyId topology;
  TraceFlag flags = TraceFlag::None;

 private:
  [[nodiscard]] SpanId span_of(std::uint64_t key) const {
    const std::uint64_t id = mix_bits(span_seed ^ key);
    return SpanId(id == 0 ? 1 : id);
  }
};

}  // namespace millrace::trace
