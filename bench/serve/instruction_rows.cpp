#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/formats/json_reader.h"
#include "base/result.h"
#include "bench/serve/rows.h"
#include "bench/serve/serve_project.h"
#include "support/instructions.h"

namespace millrace::bench {
namespace {

constexpr std::uint64_t kRequests = 4000;
constexpr double kMorePercentMax = 2;
constexpr std::string_view kRecord = "bench/baselines/serve-instructions.json";

struct Counted {
  std::string_view name;  // what serve_fake_streams is told, and the member of the record
  std::string_view row;
};
constexpr auto kCounted = std::to_array<Counted>({
    {"answer", "answer of a trivial plan over a fake stream"},
    {"refusal", "refusal over a fake stream"},
});

/// What was counted when the record was last written.
base::Result<double> recorded(std::string_view name) {
  const std::string path = base::format("{}/{}", source_folder(), kRecord);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto document = base::read_json(text);
  const auto number = document ? document->root().find_member(name) : std::nullopt;
  if (number && number->find_number()) return *number->find_number();
  return base::fail(base::ErrorCode::kNotFound, "It has no such number", path);
}

/// Instructions per warm request: the difference of two processes.
std::optional<double> per_request(const std::filesystem::path& program, std::string_view what) {
  const auto run = [&](std::uint64_t requests) {
    return count_instructions(base::format("'{}' {} {}", program.string(), what, requests));
  };
  const auto shorter = run(kRequests);
  const auto longer = run(2 * kRequests);
  if (!shorter || !longer) return std::nullopt;
  return (*longer - *shorter) / static_cast<double>(kRequests);
}

}  // namespace

base::Status measure_instructions(ServeReport& report) {
  // Built beside the benchmark.
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "serve_fake_streams";
  for (const Counted& counted : kCounted) {
    MR_TRY(const double before, recorded(counted.name));
    if (report.options.smoke) continue;
    const auto now = per_request(program, counted.name);
    if (!now) {
      std::puts("Instructions were not counted: that needs valgrind.");
      return {};
    }
    report.figures.insert(
        report.figures.end(),
        {{.name = std::string(counted.row), .value = *now, .unit = "instructions"},
         {.name = base::format("S55 {}: more than recorded", counted.name),
          .value = 100 * (*now / before - 1),
          .unit = "%",
          .at_most = kMorePercentMax}});
  }
  return {};
}

}  // namespace millrace::bench
