#include "http_corpus.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace millrace::http_tests {
namespace {

/// Turns escapes into bytes; see tests/corpus/http/heads.txt.
std::string unescape(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    const char kind = text[++i];
    if (kind == 'r') bytes += '\r';
    if (kind == 'n') bytes += '\n';
    if (kind == 't') bytes += '\t';
    if (kind == '\\') bytes += '\\';
    if (kind == 'x') {
      bytes += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    }
    if (kind == '{') {
      const std::size_t bar = text.find('|', i);
      const std::size_t end = text.find('}', bar);
      const std::string part = unescape(text.substr(bar + 1, end - bar - 1));
      const int count = std::stoi(std::string(text.substr(i + 1, bar - i - 1)));
      for (int n = 0; n < count; ++n) bytes += part;
      i = end;
    }
    MR_CHECK(std::string_view("rntx\\{").contains(kind), kind);
  }
  return bytes;
}

/// Where the value of the length stands. Servers differ in how they write its name.
std::size_t find_length(std::string_view head) {
  for (const std::string_view name :
       {"\r\nContent-Length: ", "\r\ncontent-length: ", "\r\nContent-length: "}) {
    const std::size_t at = head.find(name);
    if (at != std::string_view::npos) return at + name.size();
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<CorpusCase> read_corpus(const std::string& file) {
  std::ifstream in(std::string(MILLRACE_SOURCE_DIR "/tests/corpus/http/") + file);
  MR_CHECK(in.good(), file);
  std::vector<CorpusCase> cases;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with('#')) continue;
    CorpusCase found{.file = file, .line = number};
    std::istringstream words(line);
    std::string word;
    while (words >> word && word != "open" && word != "close") {
      found.statuses.push_back(std::stoi(word));
    }
    MR_CHECK(word == "open" || word == "close", line);
    found.closes = word == "close";
    std::string_view rest =
        std::string_view(line).substr(static_cast<std::size_t>(words.tellg()) + 1);
    found.through_haproxy = found.statuses;
    if (constexpr std::string_view kOther = "haproxy:"; rest.starts_with(kOther)) {
      std::istringstream others{
          std::string(rest.substr(kOther.size(), rest.find(' ') - kOther.size()))};
      found.through_haproxy.emplace();
      while (std::getline(others, word, ',')) {
        if (word == "*") {
          found.through_haproxy.reset();
          break;
        }
        found.through_haproxy->push_back(std::stoi(word));
      }
      rest.remove_prefix(rest.find(' ') + 1);
    }
    found.bytes = unescape(rest);
    cases.push_back(std::move(found));
  }
  return cases;
}

std::vector<int> statuses_of(std::string_view received, bool first_is_head) {
  std::vector<int> statuses;
  constexpr std::string_view kStart = "HTTP/1.1 ";
  while (!received.empty()) {
    const std::size_t end = received.find("\r\n\r\n");
    if (!received.starts_with(kStart) || end == std::string_view::npos) {
      statuses.push_back(-1);
      break;
    }
    const std::string_view head = received.substr(0, end + 4);
    statuses.push_back(std::stoi(std::string(head.substr(kStart.size(), 3))));
    received.remove_prefix(head.size());
    const std::size_t length_at = find_length(head);
    if (length_at == std::string_view::npos || (first_is_head && statuses.size() == 1)) continue;
    const std::size_t length = std::stoul(std::string(head.substr(length_at, 10)));
    if (length > received.size()) statuses.push_back(-1);
    received.remove_prefix(std::min(length, received.size()));
  }
  return statuses;
}

}  // namespace millrace::http_tests
