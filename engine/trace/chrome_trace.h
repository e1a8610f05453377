#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "trace/trace_sink.h"
#include "trace/trace_spans.h"

namespace millrace::trace {

/// Writes runs as Chrome trace events in JSON, which Perfetto (ui.perfetto.dev) opens.
///
/// Every buffer is a thread: a worker shows the nodes it ran one after another. Async nodes of a
/// loop overlap, so they are drawn on sub-tracks below it ("loop 0 io 1"). A run is one async
/// slice. Arrows go from each node to the nodes that needed it. Arguments of a node: id, index, op,
/// status, queue delay or inline parent and depth, error, span and trace id.
///
/// Each run is written when it is consumed, and nothing of it is kept. Call `close` to end the
/// file; otherwise the destructor does it.
/// Threading: as `TraceSink`.
/// Lifetime: borrows `out` until closed.
class ChromeTraceSink final : public TraceSink {
 public:
  explicit ChromeTraceSink(std::ostream& out);
  ~ChromeTraceSink() override;
  ChromeTraceSink(const ChromeTraceSink&) = delete;
  ChromeTraceSink& operator=(const ChromeTraceSink&) = delete;

  void consume(const RunTrace& run) override;
  void name_track(std::uint16_t track, std::string_view name) override;
  void note_dropped(std::uint64_t total) override;

  /// Ends the JSON document. Fails if any write to the stream did. Later calls change nothing.
  base::Status close();

 private:
  /// A thread of the viewer. Each entry is the time until which that sub-track is taken.
  struct Track {
    std::string name;
    std::vector<base::TimePoint> sub_tracks_free_at;
  };

  /// A node and where it is drawn.
  struct Slice {
    const NodeSpan* span = nullptr;
    base::TimePoint end;
    std::uint32_t thread = 0;
    std::vector<std::size_t> producers;  // indices of the slices it needed
    std::vector<std::size_t> consumers;
  };

  /// Writes the beginning of an event, up to its `args`: phase, name, category, time and thread.
  void begin_event(char phase,
                   std::string_view name,
                   std::string_view category,
                   base::TimePoint time,
                   std::uint32_t thread);
  void name_thread(std::uint32_t thread, std::string_view name);
  [[nodiscard]] std::uint32_t place(const NodeSpan& node, base::TimePoint end, bool is_async);
  [[nodiscard]] std::vector<Slice> make_slices(const RunSpans& spans, const RunTrace& run);
  void write_run(const RunSpans& spans, const RunTrace& run);
  void write_slice(const Slice& slice, const RunTrace& run);
  void write_arrow(char phase, const Slice& from, const Slice& to);
  void write_out();

  std::ostream& out_;
  std::string text_;  // output of the current call, written to the stream at its end
  std::unordered_map<std::uint16_t, Track> tracks_;
  std::uint64_t dropped_ = 0;
  std::uint64_t incomplete_ = 0;
  bool has_events_ = false;
  bool is_closed_ = false;
};

}  // namespace millrace::trace
