// Tests what the cache finds, makes, keeps, refuses and removes within one process.
#include "graphs/device/cache/cache.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "graphs/base/error.hpp"
#include "graphs/device/cache/files.hpp"
#include "graphs/device/cache/folder.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/graphs/device/cache/sample_entries.hpp"

namespace graphbench::cache {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string any(const std::string&) {
  return {};
}

class CacheTest : public testing::Test {
 protected:
  Cache::Found ask(Cache& cache, const std::string& shape = "1", const std::string& content = "made") {
    made_ = 0;
    return cache
        .find_or_make(choice_key(shape), any,
                      [&]() -> std::optional<std::string> {
                        ++made_;
                        return content;
                      })
        .value();
  }
  fs::path path_of(const std::string& shape) const { return folder_ / file_name_of(choice_key(shape)); }
  void age(const std::string& shape, std::chrono::hours by) const {
    fs::last_write_time(path_of(shape), fs::file_time_type::clock::now() - by);
  }
  static void put(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  const test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path() / "below" / "cache";
  Cache cache_{folder_};
  int made_ = 0;
};

TEST_F(CacheTest, MakesAKeyOnceAndFindsItLater) {
  Cache first(folder_);
  EXPECT_FALSE(first.find(choice_key("1")));
  EXPECT_FALSE(ask(first).hit);
  EXPECT_EQ(made_, 1);
  Cache second(folder_);
  EXPECT_EQ(second.find(choice_key("1")), "made");
  EXPECT_TRUE(ask(second, "1", "other").hit);
  EXPECT_EQ(made_, 0);
  EXPECT_FALSE(ask(second, "2").hit);
  EXPECT_EQ(temporary_.entries(), 1);
  EXPECT_EQ(files_in(folder_).size(), 2u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2) << "drafts or locks";
}

TEST_F(CacheTest, CountsAKeyOnceAndTheSecondsOfWhatItFinds) {
  fs::create_directories(folder_);
  put(path_of("1"), encode({choice_key("1"), 1.5, "kept"}));
  static_cast<void>(cache_.find(choice_key("1")));
  ask(cache_, "1");
  EXPECT_EQ(cache_.use().hits, 1);
  EXPECT_EQ(cache_.use().misses, 0);
  EXPECT_EQ(cache_.use().seconds_saved, 1.5);
  EXPECT_EQ(cache_.use().bytes, static_cast<std::int64_t>(fs::file_size(path_of("1"))));
  ask(cache_, "2");
  EXPECT_EQ(cache_.use().misses, 1);
  EXPECT_EQ(cache_.use().bytes,
            static_cast<std::int64_t>(fs::file_size(path_of("1")) + fs::file_size(path_of("2"))));
}

TEST_F(CacheTest, AFolderThatWasCopiedHits) {
  Cache here(folder_);
  ask(here);
  const fs::path copy = temporary_.path() / "copy";
  fs::copy(folder_, copy, fs::copy_options::recursive);
  Cache there(copy);
  EXPECT_TRUE(ask(there).hit);
}

TEST_F(CacheTest, ADamagedEntryIsRefusedOnceAndMadeAgain) {
  Cache first(folder_);
  ask(first);
  std::string text = test::read_file(path_of("1"));
  text.back() = 'x';
  put(path_of("1"), text);
  Cache second(folder_);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(second.find(choice_key("1")));
  EXPECT_FALSE(ask(second, "1", "again").hit);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "graphbench: cache: ignoring " + path_of("1").string() +
                                                        ": the entry is damaged; a new entry is made\n");
  EXPECT_EQ(second.use().refused, 1);
  EXPECT_EQ(Cache(folder_).find(choice_key("1")), "again");
}

TEST_F(CacheTest, AnEntryUnderAnothersNameIsRefused) {
  ask(cache_);
  fs::rename(path_of("1"), path_of("2"));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(ask(cache_, "2").hit);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the entry belongs to another key"));
}

TEST_F(CacheTest, WhatItsUserCannotUseIsMadeAgain) {
  ask(cache_);
  testing::internal::CaptureStderr();
  const auto found = cache_.find_or_make(
      choice_key("1"), [](const std::string& kept) { return kept == "new" ? "" : "it no longer exists"; },
      [] { return std::optional<std::string>("new"); });
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("it no longer exists; a new entry is made"));
  EXPECT_FALSE(found->hit);
  EXPECT_EQ(cache_.find(choice_key("1")), "new");
}

TEST_F(CacheTest, WhatIsMadeOnTheWayIsItsOwnTime) {
  const auto start = std::chrono::steady_clock::now();
  cache_.find_or_make(choice_key("outer"), any, [&] {
    cache_.find_or_make(choice_key("inner"), any, [] {
      usleep(50'000);
      return std::optional<std::string>("inner");
    });
    return std::optional<std::string>("outer");
  });
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
  const double inner = decode(test::read_file(path_of("inner"))).entry->seconds;
  const double outer = decode(test::read_file(path_of("outer"))).entry->seconds;
  EXPECT_GE(inner, 0.05);
  EXPECT_LE(inner + outer, all.count());
}

TEST_F(CacheTest, AMakerThatFailsKeepsNothingAndLocksNothing) {
  EXPECT_FALSE(cache_.find_or_make(choice_key("1"), any, [] { return std::optional<std::string>(); }));
  EXPECT_THROW(cache_.find_or_make(choice_key("1"), any,
                                   []() -> std::optional<std::string> { throw Error(ErrorCode::io, "no"); }),
               Error);
  EXPECT_FALSE(ask(cache_).hit);
  EXPECT_EQ(cache_.use().misses, 1);
}

TEST_F(CacheTest, WithoutAFolderEverythingIsMade) {
  Cache off{{}};
  EXPECT_FALSE(off.is_on());
  EXPECT_FALSE(ask(off).hit);
  EXPECT_FALSE(ask(off).hit);
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(off.use().misses, 0);
}

TEST_F(CacheTest, TheLeastRecentlyUsedGoesFirst) {
  for (const char* shape : {"1", "2", "3"}) ask(cache_, shape);
  age("1", std::chrono::hours(3));
  age("2", std::chrono::hours(2));
  age("3", std::chrono::hours(1));
  static_cast<void>(Cache(folder_).find(choice_key("1")));  // this look-up is now its last use
  Cache small(folder_, 3 * fs::file_size(path_of("1")) + 10);
  ask(small, "4");
  EXPECT_TRUE(fs::exists(path_of("1")));
  EXPECT_FALSE(fs::exists(path_of("2")));
  EXPECT_TRUE(fs::exists(path_of("3")));
  EXPECT_TRUE(fs::exists(path_of("4")));
  Cache tiny(folder_, 1);
  ask(tiny, "5");
  EXPECT_EQ(files_in(folder_).size(), 1u);
  EXPECT_TRUE(fs::exists(path_of("5"))) << "what was made now stays";
}

TEST_F(CacheTest, PruningKeepsWhatIsYoungAndWhatIsNotOurs) {
  ask(cache_, "1");
  ask(cache_, "2");
  age("1", std::chrono::hours(30));
  put(folder_ / "notes.txt", "mine");
  put(draft_of(path_of("1")), "half");
  put(lock_of(path_of("3")), "");
  const Removed removed = remove_unused(folder_, {.age_max = std::chrono::hours(24)});
  EXPECT_EQ(removed.files, 1);
  EXPECT_FALSE(fs::exists(path_of("1")));
  EXPECT_TRUE(fs::exists(path_of("2")));
  const FileLock held(path_of("4"), FileLock::Wait::yes);
  put(draft_of(path_of("4")), "being written");
  remove_leftovers(folder_);
  EXPECT_FALSE(fs::exists(draft_of(path_of("1"))));
  EXPECT_FALSE(fs::exists(lock_of(path_of("3"))));
  EXPECT_TRUE(fs::exists(draft_of(path_of("4"))));
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));
}

TEST_F(CacheTest, ContentsSayWhatAFileIsForOrWhyItIsRefused) {
  ask(cache_, "1");
  const Content sound = content_of(path_of("1"));
  EXPECT_EQ(sound.why_not, "");
  EXPECT_EQ(sound.kind, "choices");
  ASSERT_EQ(sound.parts.size(), 5u);
  EXPECT_EQ(sound.parts[1], std::pair(std::string("shape"), std::string("1")));
  fs::copy(path_of("1"), path_of("2"));
  EXPECT_EQ(content_of(path_of("2")).why_not, "the file's name does not match its key");
  fs::create_directory(path_of("3"));
  EXPECT_EQ(content_of(path_of("3")).why_not, "the file cannot be read: the path is not a regular file");
}

TEST_F(CacheTest, WhatIsOfferedIsFoundAheadOfTheFolderAndNotWritten) {
  for (const fs::path& folder : {folder_, fs::path()}) {
    Cache first(folder);
    first.offer({choice_key("offered"), 2, "offer"});
    const Cache::Found found = ask(first, "offered");
    EXPECT_TRUE(found.hit);
    EXPECT_EQ(found.content, "offer");
    EXPECT_EQ(first.find(choice_key("offered")), "offer");
    EXPECT_EQ(first.use().hits, 1);
    EXPECT_EQ(first.use().seconds_saved, 2);
    EXPECT_FALSE(ask(first, "other").hit);
    EXPECT_FALSE(fs::exists(path_of("offered")));
    std::vector<std::string> entries;
    for (const Entry& entry : first.entries()) entries.push_back(entry.content);
    EXPECT_THAT(entries, testing::UnorderedElementsAre("offer", "made"));
  }
}

TEST_F(CacheTest, WithoutAFolderAnOfferTouchesNoFileOfTheWorkingDirectory) {
  const fs::path before = fs::current_path();
  fs::current_path(temporary_.path());
  const std::string name = file_name_of(choice_key("offered"));
  put(name, "another program's");
  fs::last_write_time(name, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const fs::file_time_type written = fs::last_write_time(name);
  Cache off{{}};
  off.offer({choice_key("offered"), 2, "offer"});
  EXPECT_EQ(off.find(choice_key("offered")), "offer");
  EXPECT_EQ(fs::last_write_time(name), written);
  fs::current_path(before);
}

TEST_F(CacheTest, AnOfferThatDoesNotFitIsMadeAgain) {
  cache_.offer({choice_key(), 2, "gone"});
  const auto refuse = [](const std::string& content) {
    return content == "gone" ? "it no longer exists" : "";
  };
  const auto found =
      cache_.find_or_make(choice_key(), refuse, [] { return std::optional<std::string>("new"); });
  EXPECT_FALSE(found->hit);
  EXPECT_EQ(found->content, "new");
  EXPECT_EQ(Cache(folder_).find(choice_key()), "new");
}

TEST_F(CacheTest, AFolderThatCannotBeMadeIsSaidOnceAndSurvived) {
  put(temporary_.path() / "below", "a file where a folder should be");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(ask(cache_, "1").hit);
  EXPECT_FALSE(ask(cache_, "2").hit);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("graphbench: cache: cannot write " + folder_.string() + ": "));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

// In a child with a file size limit: an entry that cannot be written is still used; the old one stays.
TEST_F(CacheTest, WithoutSpaceTheOldEntryStaysAndNothingIsLeft) {
  ask(cache_);
  const std::string before = test::read_file(path_of("1"));
  testing::internal::CaptureStderr();
  const pid_t child = fork();
  if (child == 0) {
    static_cast<void>(signal(SIGXFSZ, SIG_IGN));
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    const FileLock lock(path_of("1"), FileLock::Wait::yes);
    const bool refused = !write_file(path_of("1"), std::string(1000, 'x')).empty();
    _exit(refused && ask(cache_, "2", std::string(1000, 'x')).content.size() == 1000 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(test::read_file(path_of("1")), before);
  EXPECT_FALSE(fs::exists(draft_of(path_of("1"))));
  EXPECT_FALSE(fs::exists(path_of("2")));
}

}  // namespace
}  // namespace graphbench::cache
