#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/result.h"
#include "bench/offload/round_trip.h"
#include "bench/offload/row_tasks.h"
#include "support/figures.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

std::string rows_text(double rows) {
  if (rows < 0) return "never";
  return rows < 1 ? "any" : base::format("{:.0f}", rows);
}

void print_table(std::span<const bench::TaskTimes> tasks, const bench::RoundTrips& trips) {
  std::printf("\n%-14s", "body, us at");
  for (const std::int64_t rows : tasks.front().rows)
    std::printf("%10lld", static_cast<long long>(rows));
  std::printf("%16s%14s\n", "worth spinning", "worth parked");
  for (const bench::TaskTimes& task : tasks) {
    std::printf("%-14s", task.op.c_str());
    for (const double ns : task.ns) std::printf("%10.2f", ns / 1000);
    std::printf("%16s%14s\n",
                rows_text(task.rows_worth(trips.spinning_ns)).c_str(),
                rows_text(task.rows_worth(trips.parked_ns)).c_str());
  }
  std::printf(
      "\nworth: input rows from which the body takes longer than a round trip to a worker that\n"
      "spins, or sleeps; below that it is better run where its rows are.\n");
}

std::string tasks_json(std::span<const bench::TaskTimes> tasks, const bench::RoundTrips& trips) {
  std::string text = ",\n\"tasks\":";
  base::JsonWriter json(text);
  json.begin_array();
  for (const bench::TaskTimes& task : tasks) {
    json.begin_object();
    json.member("op", task.op);
    json.key("ns_by_rows");
    json.begin_object();
    for (std::size_t index = 0; index < task.rows.size(); ++index)
      json.member(std::to_string(task.rows[index]), task.ns[index]);
    json.end_object();
    json.member("rows_worth_spinning", task.rows_worth(trips.spinning_ns));
    json.member("rows_worth_parked", task.rows_worth(trips.parked_ns));
    json.end_object();
  }
  json.end_array();
  return text;
}

base::Status run(const bench::BenchOptions& options) {
  MR_TRY(const bench::RoundTrips trips, bench::measure_round_trips(options.smoke ? 20 : 5000));
  const std::vector<std::int64_t> sizes =
      options.smoke ? std::vector<std::int64_t>{1, 100}
                    : std::vector<std::int64_t>{1, 10, 100, 1000, 10'000, 100'000};
  MR_TRY(const std::vector<bench::TaskTimes> tasks,
         bench::measure_row_tasks(sizes, options.smoke ? 0.01 : 8));
  if (options.smoke) return {};
  const std::vector<bench::Figure> figures = {
      {"loop to worker and back, worker spinning", trips.spinning_ns / 1000, "us"},
      {"loop to worker and back, worker parked", trips.parked_ns / 1000, "us"}};
  std::fputs(bench::print_text(figures).c_str(), stdout);
  print_table(tasks, trips);
  if (options.json_file.empty()) return {};
  return bench::write_file(options.json_file,
                           bench::print_json("offload", figures, tasks_json(tasks, trips)));
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_bench(std::span(arguments, static_cast<std::size_t>(argument_count)), run);
}
