// Every malformed request of tests/corpus/requests is refused with the code and at the place that
// expected.txt says.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "rank/rank_error.h"
#include "rank/request.h"

namespace millrace::rank {
namespace {

namespace fs = std::filesystem;

fs::path corpus() { return fs::path(MILLRACE_SOURCE_DIR) / "tests/corpus/requests"; }

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `code line:column`, with `-` where the message names no place.
std::string verdict(const std::string& text) {
  RequestReader reader;
  Request request;
  const auto read = reader.read(text, request);
  if (read) return "accepted";
  const std::string& message = read.error().message;
  std::string place = "-";
  if (const std::size_t at = message.rfind("(line "); at != std::string::npos) {
    std::istringstream numbers(message.substr(at + 6));
    std::string line;
    std::string word;
    std::string column;
    std::getline(numbers, line, ',');
    numbers >> word;
    std::getline(numbers >> std::ws, column, ')');
    place = line + ":" + column;
  }
  return std::string(to_string(read.error().code)) + " " + place;
}

TEST(RequestCorpusTest, REQ1_REQ10_EveryMalformedRequestIsRefusedAtItsPlace) {
  std::istringstream lines(read_file(corpus() / "expected.txt"));
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t colon = line.find(": ");
    const std::string name = line.substr(0, colon);
    names.insert(name);
    EXPECT_EQ(verdict(read_file(corpus() / (name + ".json"))), line.substr(colon + 2)) << name;
  }
  EXPECT_GE(names.size(), 60U);
  for (const auto& entry : fs::directory_iterator(corpus())) {
    if (entry.path().extension() == ".json")
      EXPECT_TRUE(names.contains(entry.path().stem())) << entry.path();
  }
}

}  // namespace
}  // namespace millrace::rank
