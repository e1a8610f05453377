#include "base/formats/xml_text.h"

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(XmlTextTest, EscapesMarkupAndReplacesControlBytes) {
  EXPECT_EQ(xml_text("a<b>&\"c\" ü"), "a&lt;b&gt;&amp;&quot;c&quot; ü");
  EXPECT_EQ(xml_text("x\x01y\n\tz"), "x?y\n\tz");
}

}  // namespace
}  // namespace millrace::base
