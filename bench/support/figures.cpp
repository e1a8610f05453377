#include "support/figures.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <ios>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/result.h"

namespace millrace::bench {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string print_text(std::span<const Figure> figures) {
  std::string text;
  for (const Figure& figure : figures) {
    text += base::format("{:<58}{:>10.4g} {:<12}", figure.name, figure.value, figure.unit);
    if (figure.at_most)
      text += base::format("<= {:<8g}{}", *figure.at_most, figure.passed() ? "ok" : "MISSED");
    if (figure.at_least)
      text += base::format(">= {:<8g}{}", *figure.at_least, figure.passed() ? "ok" : "MISSED");
    text += '\n';
  }
  return text;
}

std::string print_json(std::string_view bench,
                       std::span<const Figure> figures,
                       std::string_view extra) {
  std::string text = "{\"bench\":";
  base::JsonWriter(text).value(bench);
  text += ",\"compiler\":";
  base::JsonWriter(text).value(__VERSION__);
  text += ",\"processor\":";
  base::JsonWriter(text).value(processor_name());
  text += extra;
  text += ",\n\"figures\":[";
  for (const Figure& figure : figures) {
    text += &figure == figures.data() ? "\n" : ",\n";
    base::JsonWriter json(text);
    json.begin_object();
    json.member("name", figure.name);
    json.member("value", figure.value);
    json.member("unit", figure.unit);
    if (figure.at_most) json.member("at_most", *figure.at_most);
    if (figure.at_least) json.member("at_least", *figure.at_least);
    if (figure.at_most || figure.at_least) json.member("passed", figure.passed());
    json.end_object();
  }
  return text + "\n]}\n";
}

base::Result<BenchOptions> read_bench_options(std::span<char* const> arguments) {
  BenchOptions options;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::string_view name = arguments[index];
    if (name == "--smoke") {
      options.smoke = true;
    } else if (name == "--enforce") {
      options.enforce = true;
    } else if (name == "--json" && index + 1 < arguments.size()) {
      options.json_file = arguments[++index];
    } else {
      return base::fail(base::ErrorCode::kInvalidArgument,
                        base::format("Unknown option or missing value: {}\n"
                                     "There are: [--json FILE] [--smoke] [--enforce]",
                                     name),
                        "command line");
    }
  }
  return options;
}

int run_bench(std::span<char* const> arguments, base::Status (*run)(const BenchOptions& options)) {
  const auto options = read_bench_options(arguments.subspan(1));
  if (!options) {
    std::fprintf(stderr, "%s\n", options.error().message().c_str());
    return 2;
  }
  try {
    const base::Status status = run(*options);
    if (!status) std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
    return status ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", arguments.front(), error.what());
    return 1;
  }
}

base::Status conclude(std::string_view bench,
                      std::span<const Figure> figures,
                      const BenchOptions& options,
                      std::string_view extra) {
  if (!options.json_file.empty())
    MR_TRY_STATUS(write_file(options.json_file, print_json(bench, figures, extra)));
  if (!options.enforce || std::ranges::all_of(figures, &Figure::passed)) return {};
  return base::fail(base::ErrorCode::kInternal, "A bar was missed");
}

base::Status write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return base::fail(base::ErrorCode::kUnavailable, "Cannot write", path);
}

}  // namespace millrace::bench
