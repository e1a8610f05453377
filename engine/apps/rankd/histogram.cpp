#include "apps/rankd/histogram.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/format.h"

namespace millrace::rankd {
namespace {

constexpr std::size_t kClassesMax = 12;
constexpr std::size_t kBarColumns = 40;

double microseconds(base::Duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

// A bar in eighths of a column; what occurred at all is seen.
std::string bar_of(std::size_t count, std::size_t most) {
  static constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::size_t eighths = count * kBarColumns * 8 / most;
  if (count > 0) eighths = std::max<std::size_t>(eighths, 1);
  std::string bar;
  for (std::size_t column = 0; column < eighths / 8; ++column) bar += "█";
  return bar + kParts[eighths % 8];
}

}  // namespace

std::string draw_histogram(std::span<const base::Duration> sorted) {
  if (sorted.empty()) return {};
  const double least = std::max(microseconds(sorted.front()), 0.001);
  const double greatest = std::max(microseconds(sorted.back()), least);
  const bool is_one = greatest <= least;
  const std::size_t classes = is_one ? 1 : kClassesMax;
  const double factor = is_one ? 1 : std::pow(greatest / least, 1.0 / static_cast<double>(classes));
  std::vector<std::size_t> counts(classes, 0);
  std::size_t at = 0;
  double edge = least * factor;
  for (const base::Duration latency : sorted) {
    while (at + 1 < classes && microseconds(latency) > edge) {
      edge *= factor;
      ++at;
    }
    ++counts[at];
  }
  const std::size_t most = *std::ranges::max_element(counts);
  std::string text = "histogram       latency up to, requests\n";
  edge = least;
  for (std::size_t index = 0; index < classes; ++index) {
    edge = index + 1 == classes ? greatest : edge * factor;
    text +=
        base::format("{:>14.1f} us {:>9}  {}\n", edge, counts[index], bar_of(counts[index], most));
  }
  return text;
}

}  // namespace millrace::rankd
