#include "observe/process_stats.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "base/metrics/metric_descriptor.h"

namespace millrace::observe {
namespace {

constexpr base::MetricDescriptor kCpuSeconds{.name = "process_cpu_seconds_total",
                                             .help = "CPU time of the process.",
                                             .unit = "seconds",
                                             .scale = 1e-6};
constexpr base::MetricDescriptor kResidentBytes{.name = "process_resident_memory_bytes",
                                                .help = "Memory of the process that is resident.",
                                                .unit = "bytes",
                                                .kind = base::MetricKind::kGauge};
constexpr base::MetricDescriptor kVirtualBytes{.name = "process_virtual_memory_bytes",
                                               .help = "Address space of the process.",
                                               .unit = "bytes",
                                               .kind = base::MetricKind::kGauge};
constexpr base::MetricDescriptor kOpenDescriptors{.name = "process_open_fds",
                                                  .help = "Descriptors that are open.",
                                                  .kind = base::MetricKind::kGauge};
constexpr base::MetricDescriptor kDescriptorsMax{.name = "process_max_fds",
                                                 .help = "Descriptors that may be open.",
                                                 .kind = base::MetricKind::kGauge};
constexpr base::MetricDescriptor kStartTime{.name = "process_start_time_seconds",
                                            .help = "When the process started, in Unix time.",
                                            .unit = "seconds",
                                            .kind = base::MetricKind::kGauge};

void add_one(const base::MetricDescriptor& descriptor,
             double value,
             std::vector<base::MetricSnapshot>& metrics) {
  metrics.push_back(
      {.descriptor = descriptor, .series = {{.label_values = {}, .value = {.value = value}}}});
}

/// Reads a number; NaN if there is none.
double number_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nan("") : number;
}

/// Seconds of Unix time at which the machine was started.
double boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("btime ")) return number_of(line.substr(6));
  }
  return std::nan("");
}

void add_memory_and_start(std::vector<base::MetricSnapshot>& metrics) {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // The name of the program stands in parentheses and may contain anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return;
  std::istringstream fields(text.substr(name_end + 2));
  std::vector<std::string> words;
  for (std::string word; fields >> word;) words.push_back(word);
  // Numbered from 3 (state) in proc(5): starttime is 22, vsize 23, rss 24.
  if (words.size() < 22) return;
  const double ticks = number_of(words[19]) / static_cast<double>(sysconf(_SC_CLK_TCK));
  add_one(kVirtualBytes, number_of(words[20]), metrics);
  add_one(
      kResidentBytes, number_of(words[21]) * static_cast<double>(sysconf(_SC_PAGESIZE)), metrics);
  if (const double boot = boot_time(); !std::isnan(boot))
    add_one(kStartTime, boot + ticks, metrics);
}

}  // namespace

void add_process_metrics(std::vector<base::MetricSnapshot>& metrics) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    const auto micros = [](const timeval& time) {
      return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
             static_cast<std::uint64_t>(time.tv_usec);
    };
    const std::uint64_t count = micros(usage.ru_utime) + micros(usage.ru_stime);
    metrics.push_back(
        {.descriptor = kCpuSeconds,
         .series = {{.label_values = {},
                     .value = {.count = count,
                               .value = static_cast<double>(count) * kCpuSeconds.scale}}}});
  }
  add_memory_and_start(metrics);
  std::error_code error;
  const auto folder = std::filesystem::directory_iterator("/proc/self/fd", error);
  if (!error)
    add_one(
        kOpenDescriptors, static_cast<double>(std::distance(begin(folder), end(folder))), metrics);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
    add_one(kDescriptorsMax, static_cast<double>(limit.rlim_cur), metrics);
}

}  // namespace millrace::observe
