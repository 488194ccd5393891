// Tests an entry's format, and that no other text is accepted. Also lets many processes use one folder: one
// makes a key's entry while others wait, and a killed process leaves nothing that another would use.
#include "graphs/device/cache/entry.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "graphs/device/cache/cache.hpp"
#include "graphs/device/cache/folder.hpp"
#include "tests/support/temporary_folder.hpp"
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

TEST(CacheEntry, ComesBackAsItWas) {
  for (const Entry& entry : sample_entries()) {
    const Reading reading = decode(encode(entry));
    ASSERT_TRUE(reading.entry) << reading.why_not;
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
    EXPECT_NE(file_name_of(changed), file_name_of(entry.key)) << key_parts[i];
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
  EXPECT_EQ(why(""), "the file is not a cache entry");
  EXPECT_EQ(why("{\"schema\": 1}"), "the file is not a cache entry");
  EXPECT_EQ(why("graphbench cache 2\n" + sound.substr(sound.find('\n') + 1)),
            "the entry has version 2, but this graphbench reads version 1");
  EXPECT_EQ(why(sound.substr(0, 60)), "the entry is cut short");
  EXPECT_EQ(why(sound.substr(0, sound.size() - 1)), "the entry is cut short");
  EXPECT_EQ(why(sound + "7"), "the entry is damaged");
  std::string other_kind = sound;
  other_kind.replace(other_kind.find("choices"), 7, "recipes");
  EXPECT_EQ(why(other_kind), "the entry is damaged");
}

namespace fs = std::filesystem;

class CacheProcesses : public testing::Test {
 protected:
  // The content that a child makes, which starts with its process id. Adds a byte to `counted_` per call.
  std::string make(useconds_t microseconds) const {
    const int count = open(counted_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    static_cast<void>(!write(count, "x", 1));
    close(count);
    usleep(microseconds);
    return std::to_string(getpid()) + std::string(20'000, '.');
  }

  std::string ask(const std::string& shape, useconds_t microseconds) const {
    Cache cache(folder_);
    return cache
        .find_or_make(
            choice_key(shape), [](const std::string&) { return std::string(); },
            [&] { return std::optional(make(microseconds)); })
        ->content;
  }

  template <typename Work>
  static pid_t start(const Work& work) {
    const pid_t child = fork();
    if (child != 0) return child;
    work();
    _exit(0);
  }
  static int end(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }

  void expect_sound() const {
    for (const KeptFile& file : files_in(folder_)) EXPECT_EQ(content_of(file.path).why_not, "") << file.path;
  }

  const test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path() / "cache";
  const fs::path counted_ = temporary_.path() / "counted";
};

TEST_F(CacheProcesses, OneOfEightMakesAKeyAndTheOthersWait) {
  constexpr int keys = 5;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(start([&] {
      for (int key = 0; key < keys; ++key) {
        const std::string got = ask(std::to_string(key), 20'000);
        if (got != Cache(folder_).find(choice_key(std::to_string(key)))) _exit(1);
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(end(child), 0);
  EXPECT_EQ(fs::file_size(counted_), static_cast<std::uintmax_t>(keys));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), keys)
      << "locks, drafts";
  expect_sound();
}

TEST_F(CacheProcesses, MakersOfOneKeyNeverOverlapAlsoWhereNothingIsKept) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(start([&] {
      const auto make = [&]() -> std::optional<std::string> {
        if (mkdir(counted_.c_str(), 0777) != 0) _exit(1);
        usleep(200);
        rmdir(counted_.c_str());
        return std::nullopt;
      };
      Cache cache(folder_);
      for (int n = 0; n < 200; ++n)
        cache.find_or_make(
            choice_key(), [](const std::string&) { return std::string(); }, make);
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(end(child), 0);
}

TEST_F(CacheProcesses, KilledAtAnyMomentTheyLeaveNothingUnsound) {
  std::mt19937 random(7);
  for (int kill_index = 0; kill_index < 50; ++kill_index) {
    const std::string begin = std::to_string(kill_index) + " ";
    const std::size_t before = files_in(folder_).size();
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i) {
      children.push_back(start([&] {
        for (int key = 0;; ++key) ask(begin + std::to_string(key), 100);
      }));
    }
    // In every second round, waits until the children have made an entry besides key 0.
    for (int i = 0; kill_index % 2 == 1 && i < 10'000; ++i) {
      if (files_in(folder_).size() > before + 1) break;
      usleep(1'000);
    }
    usleep(static_cast<useconds_t>(random() % 8'000));
    for (const pid_t child : children) kill(child, SIGKILL);
    for (const pid_t child : children) end(child);
    expect_sound();
    EXPECT_FALSE(ask(begin + "0", 0).empty()) << "a killed holder's lock is free";
  }
  ASSERT_GT(files_in(folder_).size(), 50u) << "they were killed before they made anything";
  remove_leftovers(folder_);
  for (const fs::directory_entry& left : fs::directory_iterator(folder_))
    EXPECT_EQ(left.path().extension(), ".entry") << left.path();
}

}  // namespace
}  // namespace graphbench::cache
