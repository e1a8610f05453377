#include "bench/rows/rival_process.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/result.h"
#include "bench/rows/contest.h"

namespace millrace::bench {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

base::Status install_packages(const std::string& script_folder) {
  if (std::filesystem::exists(script_folder + "/node_modules")) return {};
  std::fputs("Installing DuckDB and Polars for the comparison ...\n", stderr);
  // Not `npm ci`: it refuses a lock file that leaves out native packages of other systems.
  const std::string command = fmt::format(
      "cd '{}' && npm install --no-save --no-audit --no-fund --loglevel=error 1>&2", script_folder);
  if (std::system(command.c_str()) == 0) return {};
  return fail(ErrorCode::kUnavailable, "npm could not install the rivals", script_folder);
}

}  // namespace

Result<std::unique_ptr<RivalProcess>> RivalProcess::start(const std::string& script_folder) {
  MR_TRY_STATUS(install_packages(script_folder));
  std::string folder = std::filesystem::temp_directory_path() / "millrace-rows-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail(ErrorCode::kUnavailable, "Cannot make a folder for data files", folder);
  }
  std::unique_ptr<RivalProcess> rival(new RivalProcess);
  rival->folder_ = folder;
  MR_TRY_STATUS(rival->launch(script_folder));
  return rival;
}

base::Status RivalProcess::launch(const std::string& script_folder) {
  std::array<int, 2> orders{};
  std::array<int, 2> answers{};
  if (::pipe(orders.data()) != 0 || ::pipe(answers.data()) != 0) {
    return fail(ErrorCode::kUnavailable, "Cannot make pipes", "rivals");
  }
  process_id_ = ::fork();
  if (process_id_ < 0) return fail(ErrorCode::kUnavailable, "Cannot fork", "rivals");
  if (process_id_ == 0) {
    ::dup2(orders[0], STDIN_FILENO);
    ::dup2(answers[1], STDOUT_FILENO);
    for (const int end : {orders[0], orders[1], answers[0], answers[1]}) ::close(end);
    ::setenv("POLARS_MAX_THREADS", "1", 1);
    const std::string script = script_folder + "/rivals.mjs";
    ::execlp("node", "node", script.c_str(), folder_.c_str(), nullptr);
    std::_Exit(127);
  }
  ::close(orders[0]);
  ::close(answers[1]);
  orders_ = ::fdopen(orders[1], "w");
  answers_ = ::fdopen(answers[0], "r");
  return {};
}

RivalProcess::~RivalProcess() {
  // Node exits when its input ends.
  if (orders_ != nullptr) std::fclose(orders_);
  if (answers_ != nullptr) std::fclose(answers_);
  if (process_id_ > 0) ::waitpid(process_id_, nullptr, 0);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Result<Answer> RivalProcess::ask(const std::string& order) {
  std::fprintf(orders_, "%s\n", order.c_str());
  std::fflush(orders_);
  std::string line;
  for (int symbol = std::fgetc(answers_); symbol != '\n'; symbol = std::fgetc(answers_)) {
    if (symbol == EOF) return fail(ErrorCode::kUnavailable, "The rivals' process has ended", order);
    line += static_cast<char>(symbol);
  }
  if (line.starts_with("error ")) return fail(ErrorCode::kInternal, line.substr(6), order);
  std::istringstream stream(line);
  Answer answer;
  for (double number = 0; stream >> number;) answer.push_back(number);
  return answer;
}

Contestant RivalProcess::contestant(const std::string& engine,
                                    const std::string& case_name,
                                    std::size_t rows) {
  const std::string subject = fmt::format("{} {} {}", engine, case_name, rows);
  return {.engine = engine,
          .answer = [this, subject] { return ask("answer " + subject); },
          .sample = [this, subject](double milliseconds) -> Result<double> {
            MR_TRY(const Answer answer, ask(fmt::format("sample {} {}", subject, milliseconds)));
            if (answer.size() == 1) return answer.front();
            return fail(ErrorCode::kInternal, "Expected one number", subject);
          }};
}

}  // namespace millrace::bench
