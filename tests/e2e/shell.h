#pragma once

#include <string>
#include <string_view>

namespace millrace::e2e {

/// The exit code and output of a shell command.
struct ShellResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// A folder with the programs in engine/bin and links to registry/, plans/, data/ and examples/, as
/// the root of a built repository has them. Threading: not shared. Lifetime: its destructor removes
/// the folder.
class Root {
 public:
  Root();
  ~Root();
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  /// Runs a line with /bin/sh in the folder.
  [[nodiscard]] ShellResult run(std::string_view line) const;
  /// Writes a file into the folder.
  void write(std::string_view name, std::string_view text) const;
  [[nodiscard]] std::string read(std::string_view name) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Number of times a text occurs in another.
[[nodiscard]] std::size_t count_of(std::string_view part, std::string_view text);

}  // namespace millrace::e2e
