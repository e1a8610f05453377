#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::HasSubstr;

using tasks::testing::text;
using ::testing::ElementsAre;

TEST(EmbeddedStoreTest, FindsWhatTheFileSays) {
  const EmbeddedStoreRef store =
      EmbeddedStore::parse("HSET h a 1 b two\n\nrpush l 3 4\nSET s \"x y\"\n", "f").value();
  EXPECT_EQ(store->key_count(), 3);
  const EmbeddedStore::Entry* list = store->find_entry("l");
  ASSERT_NE(list, nullptr);
  EXPECT_THAT(store->integers(*list), ElementsAre(3, 4));
  const EmbeddedStore::Entry* hash = store->find_entry("h");
  EXPECT_EQ(store->field_name(store->values(*hash)[1].field), "b");
  EXPECT_FALSE(hash->all_integers);
  EXPECT_EQ(store->text(store->values(*store->find_entry("s"))[0]), "x y");
  EXPECT_EQ(store->find_entry("nothing"), nullptr);
  EXPECT_EQ(store->find_field("c"), EmbeddedStore::kNoField);
}

TEST(EmbeddedStoreTest, FindsEachOfManyKeys) {
  std::string data;
  for (int i = 0; i < 5000; ++i)
    data += "SET key:" + std::to_string(i) + " " + std::to_string(i) + "\n";
  const EmbeddedStoreRef store = EmbeddedStore::parse(data, "f").value();
  for (int i = 0; i < 5000; ++i) {
    const EmbeddedStore::Entry* entry = store->find_entry("key:" + std::to_string(i));
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(store->integers(*entry)[0], i);
  }
  EXPECT_EQ(store->find_entry("key:5000"), nullptr);
}

TEST(EmbeddedStoreTest, ErrorsSayFileAndLine) {
  const auto where = [](const std::string& line) {
    const auto store = EmbeddedStore::parse("SET a 1\n\n" + line + "\n", "f.redis");
    return store ? std::string() : store.error().where();
  };
  EXPECT_EQ(where("DEL a"), "f.redis:3");
  EXPECT_EQ(where("SET a 2"), "");
  EXPECT_EQ(where("RPUSH a 2"), "f.redis:3");
  EXPECT_EQ(where("SADD b"), "f.redis:3");
  EXPECT_EQ(where("ZADD b 1"), "f.redis:3");
  EXPECT_EQ(where("ZADD b 1 2 3"), "f.redis:3");
  EXPECT_EQ(where("ZADD b x 2"), "f.redis:3");
  EXPECT_EQ(where("ZADD b nan 2"), "f.redis:3");
  EXPECT_EQ(where("ZADD b 1e999 2"), "f.redis:3");
  EXPECT_EQ(where("ZADD b NX 1 2"), "f.redis:3");
  EXPECT_EQ(where("ZADD b +inf 2 -1e3 4"), "");
  EXPECT_EQ(where("SET b"), "f.redis:3");
  EXPECT_EQ(where("SET b 1 2"), "f.redis:3");
  EXPECT_EQ(where("HSET b x"), "f.redis:3");
  EXPECT_EQ(where("RPUSH b"), "f.redis:3");
  EXPECT_EQ(where("RPUSH b \"1"), "f.redis:3");
  EXPECT_EQ(where("RPUSH b 1"), "");
}

TEST(EmbeddedStoreTest, FileThatIsNotThereIsAnErrorThatNamesIt) {
  EXPECT_EQ(EmbeddedStore::load("no/such/file.redis").error().where(), "no/such/file.redis");
  EXPECT_THAT(EmbeddedStore::load("/").error().message(), HasSubstr("Is a directory"));
  EXPECT_THAT(EmbeddedStore::load("/dev/zero").error().message(), HasSubstr("not a file"));
}

TEST(EmbeddedStoreTest, CLI4_ShippedDataHasUserOne) {
  const EmbeddedStoreRef store = EmbeddedStore::load(MILLRACE_DATA_DIR "/demo.redis").value();
  for (const char* key : {"user:1", "follow:1", "recommendation:1", "media:1"}) {
    EXPECT_NE(store->find_entry(key), nullptr) << key;
  }
  EXPECT_EQ(store->find_entry("follow:1")->count, 10);
}

TEST(EmbeddedStoreTest, AHashOfManyFieldsLoadsAndAFieldIsThereOnce) {
  std::string line = "HSET user:1";
  for (int i = 0; i < 100'000; ++i) line += " f" + std::to_string(i) + " 1";
  EXPECT_TRUE(EmbeddedStore::parse(line + "\nHSET user:2 f7 1\n", "data"));
  const EmbeddedStoreRef store = EmbeddedStore::parse(line + " f7 2\n", "data").value();
  EXPECT_EQ(store->find_entry("user:1")->count, 100'000);
  EXPECT_EQ(store->integers(*store->find_entry("user:1"))[7], 2);
}

}  // namespace
}  // namespace millrace::stores::testing
