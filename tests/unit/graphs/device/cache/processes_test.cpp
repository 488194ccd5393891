// Many processes on one folder, with a maker that is slow and counts: one makes a key and the others wait;
// one that is killed leaves nothing that another would take.
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

namespace fs = std::filesystem;

class CacheProcesses : public testing::Test {
 protected:
  // What a child makes; a byte more in `counted_` for each. Unlike others' where two would make one key.
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
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i) {
      children.push_back(start([&] {
        for (int key = 0;; ++key) ask(begin + std::to_string(key), 100);
      }));
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
