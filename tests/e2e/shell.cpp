#include "shell.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <sys/wait.h>

namespace millrace::e2e {
namespace {

namespace fs = std::filesystem;

}  // namespace

Root::Root() {
  std::string name = (fs::temp_directory_path() / "millrace-e2e-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
  path_ = name;
  fs::create_directories(fs::path(path_) / "engine/bin");
  fs::create_symlink(MILLRACE_RANKD, fs::path(path_) / "engine/bin/rankd");
  fs::create_symlink(MILLRACE_TOPOEXEC, fs::path(path_) / "engine/bin/topoexec");
  for (const char* const folder : {"registry", "plans", "data", "examples"})
    fs::create_directory_symlink(fs::path(MILLRACE_SOURCE_DIR) / folder, fs::path(path_) / folder);
}

Root::~Root() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

ShellResult Root::run(std::string_view line) const {
  write("line.sh", line);
  const std::string command =
      "cd '" + path_ + "' && /bin/sh line.sh > out.txt 2> err.txt < /dev/null";
  // Safe: there is one thread, and the test itself wrote the command.
  const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
  ShellResult result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  result.out = read("out.txt");
  result.err = read("err.txt");
  return result;
}

void Root::write(std::string_view name, std::string_view text) const {
  const fs::path file = fs::path(path_) / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string Root::read(std::string_view name) const {
  std::ifstream file(fs::path(path_) / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

}  // namespace millrace::e2e
