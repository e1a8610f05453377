#include "jobs/job_names.h"

#include <algorithm>
#include <charconv>

namespace millrace::jobs {
namespace {

constexpr std::size_t kJobNameMax = 64;
constexpr std::string_view kStreamBegin = "MR_";
constexpr std::string_view kQueueEnd = "_Q";

}  // namespace

bool is_job_name(std::string_view name) {
  if (name.empty() || name.size() > kJobNameMax) return false;
  return std::ranges::all_of(name, [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
  });
}

std::optional<std::uint64_t> JobNames::line_of(std::string_view subject, std::string_view prefix) {
  if (!subject.starts_with(prefix)) return std::nullopt;
  subject.remove_prefix(prefix.size());
  std::uint64_t line = 0;
  const char* const end = subject.data() + subject.size();
  const auto read = std::from_chars(subject.data(), end, line);
  const bool is_plain = subject == "0" || !subject.starts_with('0');
  if (read.ec != std::errc{} || read.ptr != end || !is_plain) return std::nullopt;
  return line;
}

std::optional<std::string> JobNames::job_of_queue(std::string_view stream) {
  if (!stream.starts_with(kStreamBegin) || !stream.ends_with(kQueueEnd)) return std::nullopt;
  if (stream.size() <= kStreamBegin.size() + kQueueEnd.size()) return std::nullopt;
  stream.remove_prefix(kStreamBegin.size());
  stream.remove_suffix(kQueueEnd.size());
  if (!is_job_name(stream)) return std::nullopt;
  return std::string(stream);
}

}  // namespace millrace::jobs
