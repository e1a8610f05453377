#include "apps/rankd/answer_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/format.h"
#include "base/formats/json_reader.h"
#include "base/readable_number.h"

namespace millrace::rankd {
namespace {

using base::JsonValue;

// How many columns of the terminal a text takes: one for each code point.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

struct TableCell {
  std::string text = {};
  bool is_number = false;
};

// Texts stand bare, and numbers as people write them: JSON is for whoever needs every digit.
TableCell cell_of(JsonValue value) {
  if (const auto text = value.find_string()) return {.text = std::string(*text)};
  if (const auto flag = value.find_bool()) return {.text = *flag ? "true" : "false"};
  if (const auto whole = value.find_int())
    return {.text = std::to_string(*whole), .is_number = true};
  if (const auto number = value.find_number())
    return {.text = base::readable_number(*number), .is_number = true};
  return {.text = "null"};
}

class AnswerTable {
 public:
  [[nodiscard]] std::size_t column(std::string_view name) {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) {
      names_.emplace_back(name);
      return names_.size() - 1;
    }
    return static_cast<std::size_t>(found - names_.begin());
  }

  void begin_row() { rows_.emplace_back(); }
  void set(std::string_view name, TableCell cell) {
    const std::size_t at = column(name);
    if (rows_.back().size() <= at) rows_.back().resize(at + 1);
    rows_.back()[at] = std::move(cell);
  }

  [[nodiscard]] std::string draw() const {
    std::vector<std::size_t> widths;
    for (const std::string& name : names_) widths.push_back(columns_of(name));
    for (const auto& row : rows_) {
      for (std::size_t at = 0; at < row.size(); ++at)
        widths[at] = std::max(widths[at], columns_of(row[at].text));
    }
    std::string out;
    const auto write = [&](std::size_t at, const TableCell& cell) {
      const std::string pad(widths[at] - columns_of(cell.text), ' ');
      out += "  ";
      out += cell.is_number ? pad + cell.text : cell.text + pad;
    };
    const auto end_line = [&] {
      while (!out.empty() && out.back() == ' ') out.pop_back();
      out += '\n';
    };
    for (std::size_t at = 0; at < names_.size(); ++at)
      write(at, {.text = names_[at], .is_number = is_number_column(at)});
    end_line();
    for (const auto& row : rows_) {
      for (std::size_t at = 0; at < names_.size(); ++at)
        write(at, at < row.size() ? row[at] : TableCell{});
      end_line();
    }
    return out;
  }

 private:
  // Names stand above numbers as the numbers do.
  [[nodiscard]] bool is_number_column(std::size_t at) const {
    return std::ranges::any_of(
        rows_, [&](const auto& row) { return at < row.size() && row[at].is_number; });
  }

  std::vector<std::string> names_;
  std::vector<std::vector<TableCell>> rows_;
};

std::string text_of(JsonValue object, std::string_view name) {
  const auto member = object.find_member(name);
  return member ? cell_of(*member).text : std::string();
}

// Microseconds are enough for people.
std::string milliseconds_of(JsonValue answer) {
  const auto took = answer.find_member("took_ms");
  return base::readable_number(std::round(took ? took->find_number().value_or(0) * 1e3 : 0) / 1e3);
}

std::string draw_candidates(JsonValue candidates) {
  AnswerTable table;
  std::size_t rank = 0;
  for (const JsonValue candidate : candidates.children()) {
    table.begin_row();
    table.set("rank", {.text = std::to_string(++rank), .is_number = true});
    table.set("id", cell_of(*candidate.find_member("id")));
    if (const auto fields = candidate.find_member("fields")) {
      for (const JsonValue field : fields->children()) table.set(field.key(), cell_of(field));
    }
    if (const auto output = candidate.find_member("output")) table.set("output", cell_of(*output));
  }
  return rank == 0 ? std::string() : table.draw();
}

}  // namespace

std::string answer_table(std::string_view answer) {
  const auto document = base::read_json(answer);
  if (!document) return std::string(answer) + "\n";
  const JsonValue root = document->root();
  std::string who = text_of(root, "request_id");
  if (who.empty()) who = text_of(root, "engine_request_id");
  if (const auto error = root.find_member("error"))
    return base::format(
        "{}: error {}: {}\n\n", who, text_of(*error, "code"), text_of(*error, "message"));
  const auto plan = root.find_member("plan");
  const auto candidates = root.find_member("candidates");
  const std::size_t count = candidates ? candidates->size() : 0;
  std::string out = base::format("{}: {}, {} candidate{} in {} ms\n",
                                 who,
                                 plan ? text_of(*plan, "name") : "",
                                 count,
                                 count == 1 ? "" : "s",
                                 milliseconds_of(root));
  if (candidates) out += draw_candidates(*candidates);
  if (const auto degraded = root.find_member("degraded")) {
    if (const auto reasons = degraded->find_member("reasons")) {
      for (const JsonValue reason : reasons->children()) {
        out += base::format("  degraded: node {}: {}: {}\n",
                            text_of(reason, "node"),
                            text_of(reason, "code"),
                            text_of(reason, "message"));
      }
    }
  }
  if (const auto warnings = root.find_member("warnings")) {
    for (const JsonValue warning : warnings->children())
      out += base::format("  warning: {}\n", cell_of(warning).text);
  }
  if (const auto explained = root.find_member("explain")) {
    for (const JsonValue one : explained->children())
      out += base::format("  id {}: {}\n", text_of(one, "id"), text_of(one, "sentence"));
  }
  return out + "\n";
}

}  // namespace millrace::rankd
