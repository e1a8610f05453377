#include "base/settings/setting_spec.h"

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

constexpr std::array<std::string_view, 2> kWords{"all", "off"};

bool is_good(const SettingSpec& spec, std::string_view text) {
  return std::holds_alternative<SettingValue>(read_setting(spec, text));
}

TEST(SettingSpecTest, ReadsSizesWithUnits) {
  EXPECT_EQ(parse_size("0"), 0);
  EXPECT_EQ(parse_size("17B"), 17);
  EXPECT_EQ(parse_size("16KiB"), 16384);
  EXPECT_EQ(parse_size("1MiB"), 1 << 20);
  EXPECT_EQ(parse_size("2GiB"), 2LL << 30);
  for (const char* bad : {"", "KiB", "1kb", "-1", "1 KiB", "9999999999GiB", "1.5MiB"})
    EXPECT_FALSE(parse_size(bad)) << bad;
}

TEST(SettingSpecTest, ChecksRangesAndWords) {
  const SettingSpec number{
      .name = "a.b", .kind = SettingKind::kInteger, .initial = "1", .least = 1, .most = 16};
  EXPECT_TRUE(is_good(number, "16"));
  for (const char* bad : {"0", "17", "x", "1x", "", "99999999999999999999"})
    EXPECT_FALSE(is_good(number, bad)) << bad;
  const SettingSpec wait{.name = "a.c", .kind = SettingKind::kDuration, .initial = "1s"};
  EXPECT_TRUE(is_good(wait, "0"));
  EXPECT_TRUE(is_good(wait, "250ms"));
  EXPECT_FALSE(is_good(wait, "5"));
  const SettingSpec choice{
      .name = "a.d", .kind = SettingKind::kChoice, .initial = "all", .choices = kWords};
  EXPECT_TRUE(is_good(choice, "off"));
  EXPECT_FALSE(is_good(choice, "on"));
}

TEST(SettingSpecTest, SplitsListsAtCommas) {
  const SettingSpec list{.name = "a.b", .kind = SettingKind::kTextList, .initial = ""};
  const auto value = read_setting(list, "one, two,,three ");
  EXPECT_EQ(std::get<std::vector<std::string>>(std::get<SettingValue>(value)),
            (std::vector<std::string>{"one", "two", "three"}));
}

TEST(SettingSpecTest, NamesTheVariable) {
  EXPECT_EQ(variable_of({.name = "server.deadline_max", .initial = "", .help = ""}),
            "RANKD_SERVER_DEADLINE_MAX");
}

}  // namespace
}  // namespace millrace::base
