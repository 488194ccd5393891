// The form of an entry: what it looks like, and that nothing else is taken for one.
#include "graphs/device/cache/entry.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/graphs/device/cache/sample_entries.hpp"

namespace graphbench::cache {
namespace {

TEST(CacheEntry, HasAHeadThatPeopleCanRead) {
  EXPECT_EQ(encode(sample_entries().front()),
            "graphbench cache 1\n"
            "kind choices\n"
            "op linear\n"
            "shape 8x1024 bf16\n"
            "device GPU\n"
            "libraries driver 1, CUDA 2\n"
            "build graphbench 1\n"
            "seconds 0.125\n"
            "bytes 12\n"
            "sha256 55856a749ba54e058b1c03882e318bb6ccf25da165ad7e0ec1f539e121ae8cdc\n"
            "\n"
            "algorithm 66");
}

TEST(CacheEntry, EveryKindComesBackAsItWas) {
  for (const Entry& entry : sample_entries()) {
    const Reading reading = decode(encode(entry));
    ASSERT_TRUE(reading.entry) << name_of(entry.key.kind) << ": " << reading.why_not;
    EXPECT_EQ(reading.entry->key, entry.key);
    EXPECT_EQ(reading.entry->seconds, entry.seconds);
    EXPECT_EQ(reading.entry->content, entry.content);
  }
}

TEST(CacheEntry, IsNamedForItsKeyAlone) {
  const Entry entry = sample_entries().front();
  Entry other = entry;
  other.seconds = 9;
  other.content = "another";
  EXPECT_EQ(file_name_of(other.key), file_name_of(entry.key));
  for (std::size_t i = 0; i < entry.key.values.size(); ++i) {
    Key changed = entry.key;
    changed.values[i] += "x";
    EXPECT_NE(file_name_of(changed), file_name_of(entry.key)) << parts_of(Kind::choices)[i];
  }
  EXPECT_EQ(file_name_of(entry.key).size(), 64 + std::string(".entry").size());
}

TEST(CacheEntry, AFlippedByteIsRefused) {
  std::mt19937 random(1);
  const std::vector<Entry> entries = sample_entries();
  for (int i = 0; i < 10'000; ++i) {
    std::string text = encode(entries[static_cast<std::size_t>(i) % entries.size()]);
    const std::size_t at = random() % text.size();
    text[at] = static_cast<char>(text[at] ^ static_cast<char>(1 + random() % 255));
    const Reading reading = decode(text);
    ASSERT_FALSE(reading.entry) << "byte " << at << " of " << text;
    ASSERT_FALSE(reading.why_not.empty());
  }
}

TEST(CacheEntry, ACutTextIsRefused) {
  std::mt19937 random(2);
  const std::vector<Entry> entries = sample_entries();
  for (int i = 0; i < 1'000; ++i) {
    const std::string text = encode(entries[static_cast<std::size_t>(i) % entries.size()]);
    const Reading reading = decode(std::string_view(text).substr(0, random() % text.size()));
    ASSERT_FALSE(reading.entry);
    ASSERT_FALSE(reading.why_not.empty());
  }
}

TEST(CacheEntry, SaysWhyItIsRefused) {
  const std::string sound = encode(sample_entries().front());
  const auto why = [](const std::string& text) { return decode(text).why_not; };
  EXPECT_EQ(why(""), "it is no entry of a cache");
  EXPECT_EQ(why("{\"schema\": 1}"), "it is no entry of a cache");
  EXPECT_EQ(why("graphbench cache 2\n" + sound.substr(sound.find('\n') + 1)),
            "it is of version 2, this reads 1");
  EXPECT_EQ(why(sound.substr(0, 60)), "it is cut short");
  EXPECT_EQ(why(sound.substr(0, sound.size() - 1)), "it is cut short");
  EXPECT_EQ(why(sound + "7"), "it is damaged");
  std::string other_kind = sound;
  other_kind.replace(other_kind.find("choices"), 7, "recipes");
  EXPECT_EQ(why(other_kind), "it is damaged");
}

}  // namespace
}  // namespace graphbench::cache
