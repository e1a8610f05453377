#include "server/access/access_keys.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/format.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/formats/object_reader.h"
#include "base/formats/toml_reader.h"
#include "base/formats/value_reader.h"
#include "base/problems/message_text.h"

namespace millrace::server {
namespace {

using base::JsonValue;
using base::ObjectReader;
using base::ValuePlace;

enum class KeyProblem : std::uint8_t {
  kBadToml,
  kWrongType,
  kUnknownField,
  kMissingField,
  kDuplicateKey,
  kBadValue,
  kOutOfRange,
  kTooLarge,
};

std::string_view to_string(KeyProblem problem) {
  switch (problem) {
    case KeyProblem::kBadToml:
      return "bad_toml";
    case KeyProblem::kWrongType:
      return "wrong_type";
    case KeyProblem::kUnknownField:
      return "unknown_field";
    case KeyProblem::kMissingField:
      return "missing_field";
    case KeyProblem::kDuplicateKey:
      return "duplicate_key";
    case KeyProblem::kBadValue:
      return "bad_value";
    case KeyProblem::kOutOfRange:
      return "out_of_range";
    case KeyProblem::kTooLarge:
      break;
  }
  return "too_large";
}

const base::ReaderCodes& key_codes() {
  static const base::ReaderCodes codes{.wrong_type = KeyProblem::kWrongType,
                                       .unknown_field = KeyProblem::kUnknownField,
                                       .missing_field = KeyProblem::kMissingField,
                                       .duplicate_key = KeyProblem::kDuplicateKey,
                                       .bad_value = KeyProblem::kBadValue,
                                       .out_of_range = KeyProblem::kOutOfRange,
                                       .bad_duration = KeyProblem::kBadValue,
                                       .too_large = KeyProblem::kTooLarge};
  return codes;
}

constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kPlansMax = 100;
constexpr std::size_t kGlobBytesMax = 128;
constexpr double kRateMax = 1e6;
constexpr std::int64_t kInflightMax = 1'000'000;
constexpr std::string_view kDigestPrefix = "sha256:";
constexpr std::size_t kDigestDigits = 64;

bool is_key_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && std::ranges::all_of(name, [](char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte == '_' || byte == '-' || byte == '.';
  });
}

/// Gives the digest in lower case, or nothing if it is none.
std::string normal_digest(std::string_view text) {
  if (!text.starts_with(kDigestPrefix) || text.size() != kDigestPrefix.size() + kDigestDigits)
    return {};
  std::string digest(text);
  for (char& digit : digest) {
    if (digit >= 'A' && digit <= 'F') digit = static_cast<char>(digit - 'A' + 'a');
  }
  const std::string_view digits = std::string_view(digest).substr(kDigestPrefix.size());
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos ? digest
                                                                                : std::string();
}

/// Reads one `[[key]]`.
class KeyReader {
 public:
  KeyReader(ObjectReader table, base::DocumentReporter& reporter)
      : table_(std::move(table)), values_(reporter) {}

  AccessKey read() {
    AccessKey key;
    if (!table_.is_object()) return key;
    table_.allow_only({"name", "hash", "plans", "admin", "rate", "inflight_max", "priority_max"});
    table_.require("name");
    table_.require("hash");
    if (const auto name = table_.find_string("name")) read_name(*name, key);
    if (const auto hash = table_.find_string("hash")) {
      key.digest = normal_digest(*hash);
      // The text is not repeated: it may be the secret itself.
      if (key.digest.empty()) {
        table_.add(KeyProblem::kBadValue,
                   "hash",
                   "The hash is not 'sha256:' and 64 hexadecimal digits",
                   "printf %s \"$KEY\" | sha256sum prints the digits");
      }
    }
    read_plans(key);
    key.is_admin = table_.find_bool("admin").value_or(false);
    read_rate(key);
    key.inflight_max = table_.find_int("inflight_max", {.minimum = 1, .maximum = kInflightMax});
    const auto choice = table_.find_choice("priority_max", {"high", "normal", "low", "background"});
    key.class_max = static_cast<runtime::Priority>(choice.value_or(0));
    return key;
  }

  void add_duplicate(std::string_view member, std::string message) {
    table_.add(KeyProblem::kDuplicateKey, member, std::move(message));
  }

 private:
  void read_name(std::string_view name, AccessKey& key) {
    key.name = name;
    if (is_key_name(name)) return;
    table_.add(KeyProblem::kBadValue,
               "name",
               "Not a name for a key: " + base::shortened(name),
               "letters, digits, '_', '-' and '.', at most 64");
  }

  void read_plans(AccessKey& key) {
    const auto list = table_.find_array("plans");
    if (!list) return;
    const ValuePlace place = table_.place_of(*list);
    if (!values_.is_array(*list, place, kPlansMax, "globs")) return;
    key.plans.clear();
    for (const JsonValue item : list->children()) {
      const auto glob = values_.read_string(item, place.child(item), kGlobBytesMax);
      if (glob) key.plans.emplace_back(*glob);
    }
  }

  void read_rate(AccessKey& key) {
    const auto value = table_.find("rate");
    if (!value) return;
    const ValuePlace place = table_.place_of(*value);
    const auto rate = values_.read_number(*value, place);
    if (!rate) return;
    if (std::isfinite(*rate) && *rate > 0 && *rate <= kRateMax) {
      key.rate = *rate;
      return;
    }
    table_.add(KeyProblem::kOutOfRange,
               "rate",
               base::format("rate is {}", *rate),
               "requests per second, above 0 and at most 1000000");
  }

  ObjectReader table_;
  base::ValueReader values_;
};

}  // namespace

bool fits_glob(std::string_view glob, std::string_view name) {
  // Goes back to the last star only, so the time is at most the product of both lengths.
  std::size_t at = 0;
  std::size_t next = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (next < name.size()) {
    if (at < glob.size() && glob[at] == '*') {
      star = at++;
      retry = next;
    } else if (at < glob.size() && (glob[at] == '?' || glob[at] == name[next])) {
      ++at;
      ++next;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      next = ++retry;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', at) == std::string_view::npos;
}

bool KeyUsage::try_take(double per_second, base::TimePoint now) {
  // The generic cell rate algorithm: each request pays for `step`, and may pay up to a second (or
  // one step, if that is longer) ahead of time.
  const auto step = static_cast<std::int64_t>(1e9 / per_second);
  const std::int64_t ahead_max = std::max<std::int64_t>(1'000'000'000, step);
  const std::int64_t now_ns = now.time_since_epoch().count();
  std::int64_t paid = paid_until_ns_.load(std::memory_order_relaxed);
  std::int64_t next = 0;
  do {
    next = std::max(paid, now_ns) + step;
    if (next - now_ns > ahead_max) return false;
  } while (!paid_until_ns_.compare_exchange_weak(paid, next, std::memory_order_relaxed));
  return true;
}

bool KeyUsage::try_enter(std::int64_t inflight_max) {
  std::int64_t count = inflight_.load(std::memory_order_relaxed);
  do {
    if (count >= inflight_max) return false;
  } while (!inflight_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
  return true;
}

bool AccessKey::may_use(std::string_view plan) const {
  return std::ranges::any_of(plans, [&](const std::string& glob) { return fits_glob(glob, plan); });
}

AccessKeys AccessKeys::read(std::string_view text,
                            const std::string& file_name,
                            const AccessKeys* previous,
                            base::ProblemReport& report) {
  AccessKeys keys;
  const auto document = base::read_toml(text);
  if (!document) {
    report.add({.code = KeyProblem::kBadToml,
                .file = file_name,
                .line = document.error().place.line,
                .column = document.error().place.column,
                .message = document.error().message});
    return keys;
  }
  base::DocumentReporter reporter(*document, report, key_codes(), file_name);
  ObjectReader root(document->root(), {}, reporter);
  root.allow_only({"key"});
  const auto list = root.find_array("key");
  if (!list || list->size() == 0) {
    if (!root.has("key") || list)
      root.add(KeyProblem::kMissingField, "key", "The file has no key", "add a [[key]] table");
    return keys;
  }
  const ValuePlace place = root.place_of(*list);
  if (!base::ValueReader(reporter).is_array(*list, place, kCountMax, "keys")) return keys;
  for (const JsonValue one : list->children()) {
    KeyReader reader(ObjectReader(one, place.child(one), reporter), reporter);
    AccessKey key = reader.read();
    for (const AccessKey& other : keys.keys_) {
      if (!key.name.empty() && other.name == key.name)
        reader.add_duplicate("name", "Two keys have the name " + base::shortened(key.name));
      if (!key.digest.empty() && other.digest == key.digest)
        reader.add_duplicate("hash", base::format("The key is that of '{}'", other.name));
    }
    const AccessKey* const old = previous != nullptr ? previous->find_named(key.name) : nullptr;
    key.usage = old != nullptr ? old->usage : std::make_shared<KeyUsage>();
    keys.keys_.push_back(std::move(key));
  }
  return keys;
}

const AccessKey* AccessKeys::find(std::string_view secret) const {
  const std::string digest = base::sha256_digest(secret);
  const AccessKey* found = nullptr;
  for (const AccessKey& key : keys_) {
    if (key.digest.size() != digest.size()) continue;
    unsigned difference = 0;
    for (std::size_t at = 0; at < digest.size(); ++at)
      difference |= static_cast<unsigned>(digest[at]) ^ static_cast<unsigned>(key.digest[at]);
    if (difference == 0) found = &key;
  }
  return found;
}

const AccessKey* AccessKeys::find_named(std::string_view name) const {
  const auto found =
      std::ranges::find_if(keys_, [&](const AccessKey& key) { return key.name == name; });
  return found != keys_.end() ? &*found : nullptr;
}

}  // namespace millrace::server
