#include "plan/registry/registry_file.h"

#include <string>

#include <gtest/gtest.h>

#include "plan/problem.h"

namespace millrace::plan {
namespace {

TEST(RegistryFileTest, ATextThatIsNotTomlIsReported) {
  ProblemReport report;
  const RegistryFile file("x.toml", "a = = 1\n", report);
  EXPECT_FALSE(file.root());
  ASSERT_EQ(report.problems().size(), 1U);
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kBadToml);
  EXPECT_EQ(report.problems()[0].file, "x.toml");
  EXPECT_EQ(report.problems()[0].line, 1U);
}

TEST(RegistryFileTest, NamesAreLowerCaseAndBeginWithALetter) {
  for (const std::string text : {"[Big]\n", "[1a]\n", "['a b']\n"}) {
    ProblemReport report;
    RegistryFile file("x.toml", text, report);
    const base::JsonValue entry = *file.root()->children().begin();
    check_name(base::ObjectReader(entry, base::ValuePlace{}.child(entry), file.reporter()),
               file.reporter());
    ASSERT_EQ(report.problems().size(), 1U) << text;
    EXPECT_EQ(report.problems()[0].code, ProblemCode::kBadName);
    EXPECT_EQ(report.problems()[0].column, 2U);
  }
}

TEST(RegistryFileTest, LifecyclesAreOneOfThree) {
  ProblemReport report;
  RegistryFile file("x.toml", "[a]\nlifecycle = 'blocked'\n[b]\n[c]\nlifecycle = 'old'\n", report);
  base::ObjectReader root(*file.root(), {}, file.reporter());
  base::ObjectReader a = *root.find_object("a");
  base::ObjectReader b = *root.find_object("b");
  base::ObjectReader c = *root.find_object("c");
  EXPECT_EQ(read_lifecycle(a), Lifecycle::kBlocked);
  EXPECT_EQ(find_text(a, "lifecycle"), "blocked");
  EXPECT_EQ(read_lifecycle(b), Lifecycle::kActive);
  EXPECT_EQ(find_text(b, "lifecycle"), "");
  EXPECT_EQ(report.to_text(), "");
  EXPECT_EQ(read_lifecycle(c), Lifecycle::kActive);
  EXPECT_EQ(report.to_text(),
            "x.toml:5:13: bad_value: Unknown lifecycle: old (at c.lifecycle); one of active, "
            "deprecated, blocked\n");
}

}  // namespace
}  // namespace millrace::plan
