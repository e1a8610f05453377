// How many machines a load needs: formulas and a simulator in virtual time. `./dev capacity`.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/result.h"
#include "base/text_file.h"
#include "bench/capacity/cost_file.h"
#include "bench/capacity/fleet.h"
#include "bench/capacity/guide_tables.h"
#include "bench/capacity/key_curve.h"
#include "bench/capacity/sizing.h"
#include "bench/support/figures.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace)
using bench::RequestCost;

constexpr std::string_view kUsage =
    "Usage: ./dev capacity [--check | --write] [--cost FILE] [--rate N] [--predict]\n"
    "\n"
    "Without flags: the simulator against queues whose answer is known, then the tables of\n"
    "docs/guides/grow.md played anew.\n"
    "  --check       fail if the guide's tables differ by more than 1 %\n"
    "  --write       put the tables into the guide\n"
    "  --cost FILE   costs of a request as JSON: cpu_us_per_request, round_trips_per_request,\n"
    "                commands_per_request as 'rankd bench --format json' writes them, and\n"
    "                redis_us_per_command, redis_us_per_batch, wire_us\n"
    "  --rate N      machines, shards and connections for N requests per second of that cost\n"
    "  --predict     requests/s of one and of two processes and Redis on one machine of 2 cores\n"
    "Exit code: 0 fine, 1 a check failed, 2 wrong usage.\n";

struct Options {
  bool check = false;
  bool write = false;
  bool predict = false;
  bool smoke = false;
  double rate = 0;
  std::string cost_file = {};
  std::string guide = "docs/guides/grow.md";
};

base::Result<Options> read_options(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (name == "--check") {
      options.check = true;
    } else if (name == "--write") {
      options.write = true;
    } else if (name == "--predict") {
      options.predict = true;
    } else if (name == "--smoke") {
      options.smoke = true;
    } else if (name == "--cost" && has_value) {
      options.cost_file = arguments[++i];
    } else if (name == "--guide" && has_value) {
      options.guide = arguments[++i];
    } else if (name == "--rate" && has_value) {
      options.rate = std::strtod(arguments[++i], nullptr);
      if (!(options.rate >= 1) || options.rate > 1e12) {
        return base::fail(base::ErrorCode::kInvalidArgument, "--rate is from 1 to 1e12");
      }
    } else {
      return base::fail(base::ErrorCode::kInvalidArgument,
                        base::format("Unknown argument or missing value: {}", name));
    }
  }
  return options;
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

void print_sizing(const RequestCost& cost, double rate) {
  bench::SizingQuestion question;
  question.requests_per_second = rate;
  const bench::Sizing sizing = bench::size_fleet(question, cost, bench::zipf_curve(0.8, 1'000'000));
  print(
      base::format("{:.0f} requests/s: {} machines of {} cores, {} shards, {} connections, "
                   "busiest shard {:.0f} % (Zipf 0.8)\n",
                   rate,
                   sizing.machines,
                   question.cores,
                   sizing.shards,
                   sizing.connections,
                   sizing.busiest_shard * 100));
}

void print_prediction(const RequestCost& cost) {
  const bench::KeyCurve keys = bench::zipf_curve(0, 1'000'000);
  for (const std::uint32_t processes : {1U, 2U}) {
    bench::FleetSettings settings;
    settings.processes = processes;
    settings.is_one_machine = true;
    settings.single_flight = false;
    settings.deadline_seconds = 10;
    const bench::FleetResult result = bench::simulate(settings, cost, keys, {.requests = 100'000});
    print(
        base::format("{{\"processes\": {}, \"requests_per_s\": {:.1f}, \"p50_us\": {:.1f}, "
                     "\"p99_us\": {:.1f}}}\n",
                     processes,
                     result.requests_per_second,
                     result.p50_seconds * 1e6,
                     result.p99_seconds * 1e6));
  }
}

base::Status play_guide(const RequestCost& cost, const Options& options) {
  const std::string tables = bench::guide_tables(cost, options.smoke ? 5'000 : 40'000);
  print(tables);
  if (!options.check && !options.write) return {};
  auto guide = base::read_text_file(options.guide, 1'000'000);
  if (!guide) return std::unexpected(guide.error());
  if (options.check) return bench::check_tables(*guide, tables);
  auto updated = bench::with_tables(*guide, tables);
  if (!updated) return std::unexpected(updated.error());
  return bench::write_file(options.guide, *updated);
}

base::Status compare_with_theory(const Options& options) {
  const bench::TheoryCheck theory = bench::check_theory(options.smoke ? 20'000 : 4'000'000);
  print("Simulator against theory (bar: 2 %)\n" + theory.text + "\n");
  if (theory.is_good || options.smoke) return {};
  return base::fail(base::ErrorCode::kInternal, "The simulator is off by more than 2 %");
}

base::Status run(const Options& options) {
  RequestCost cost;
  if (!options.cost_file.empty()) {
    auto text = base::read_text_file(options.cost_file, 1'000'000);
    if (!text) return std::unexpected(text.error());
    auto read = bench::read_cost(*text);
    if (!read) return std::unexpected(read.error());
    cost = *read;
  }
  if (options.predict) {
    print_prediction(cost);
  } else if (options.rate > 0) {
    print_sizing(cost, options.rate);
  } else {
    // The guide is checked by every test run, which has unit tests for the theory.
    if (!options.check) MR_TRY_STATUS(compare_with_theory(options));
    return play_guide(cost, options);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
    print(std::string(kUsage));
    return 0;
  }
  const auto options = read_options(std::span(argv, static_cast<std::size_t>(argc)));
  if (!options) {
    std::fprintf(stderr, "capacity: %s\n%s", options.error().message().c_str(), kUsage.data());
    return 2;
  }
  const base::Status status = run(*options);
  if (status) return 0;
  const base::Error& error = status.error();
  std::fprintf(stderr,
               "capacity: %s%s%s\n",
               error.where().c_str(),
               error.where().empty() ? "" : ": ",
               error.message().c_str());
  return 1;
}
