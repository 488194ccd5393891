// Which plugins a request may name.
#include "harness/service/serve/catalog.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::serve {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class PluginFolderTest : public testing::Test {
 protected:
  PluginFolderTest() {
    fs::create_directory(scratch_.file("plugins"));
    fs::permissions(scratch_.file("plugins"), fs::perms(0755));
    write("outside.so");
    write("plugins/one.so");
    write("plugins/two_2-b.so");
  }
  void write(const std::string& name) const {
    std::ofstream(scratch_.file(name)) << "x";
    fs::permissions(scratch_.file(name), fs::perms(0644));
  }
  std::string inside(const std::string& name) const { return scratch_.file("plugins/" + name); }
  PluginFolder folder() const { return PluginFolder(inside("")); }
  std::string refusal() const {
    return test::refusal([&] { folder(); });
  }

  test::TemporaryFolder scratch_;
};

TEST_F(PluginFolderTest, PluginsAreFoundByTheirBareNames) {
  EXPECT_THAT(folder().names(), ElementsAre("one", "two_2-b"));
  EXPECT_EQ(folder().path_of("one"), fs::canonical(inside("one.so")));
  write("plugins/later.so");
  EXPECT_EQ(folder().path_of("later"), fs::canonical(inside("later.so")));
}

TEST_F(PluginFolderTest, NothingElseIsAPlugin) {
  for (const char* name : {"a b.so", "a.b.so", "notes.txt", "so", ".so", "x.SO"})
    write(std::string("plugins/") + name);
  write("plugins/" + std::string(65, 'a') + ".so");
  fs::create_directory(inside("folder.so"));
  EXPECT_THAT(folder().names(), ElementsAre("one", "two_2-b"));
  for (const char* name :
       {"", ".", "..", "../outside", "outside", "one.so", "./one", "plugins/one", "a b", "folder"}) {
    EXPECT_THROW(folder().path_of(name), Error) << name;
  }
}

TEST_F(PluginFolderTest, LinksThatLeaveTheFolderAreNoPlugins) {
  fs::create_symlink("../outside.so", inside("relative.so"));
  fs::create_symlink(scratch_.file("outside.so"), inside("absolute.so"));
  fs::create_symlink("nowhere.so", inside("broken.so"));
  fs::create_symlink("loop.so", inside("loop.so"));
  fs::create_directory(inside("below"));
  write("plugins/below/deep.so");
  fs::create_symlink("below/deep.so", inside("deep.so"));
  fs::create_symlink("one.so", inside("alias.so"));
  EXPECT_THAT(folder().names(), ElementsAre("alias", "one", "two_2-b"));
  EXPECT_EQ(folder().path_of("alias"), fs::canonical(inside("one.so")));
}

TEST_F(PluginFolderTest, WhatOthersMayWriteIsRefusedAtTheStart) {
  for (const char* name : {"", "one.so"}) {
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(inside(name), others, fs::perm_options::add);
      EXPECT_THAT(refusal(), HasSubstr("--plugin-folder: ")) << name;
      EXPECT_THAT(refusal(), HasSubstr("can be written by others")) << name;
      fs::permissions(inside(name), others, fs::perm_options::remove);
    }
  }
  EXPECT_EQ(refusal(), "accepted");
  EXPECT_THROW(PluginFolder(scratch_.file("none")), InputError);
  EXPECT_THROW(PluginFolder(scratch_.file("outside.so")), InputError);
}

TEST_F(PluginFolderTest, WhatIsOwnedByAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  for (const char* name : {"", "one.so"}) {
    ASSERT_EQ(chown(inside(name).c_str(), 12345, 0), 0);
    EXPECT_THAT(refusal(), HasSubstr("is owned")) << name;
    ASSERT_EQ(chown(inside(name).c_str(), 0, 0), 0);
  }
}

TEST_F(PluginFolderTest, WhatOthersMayWriteMeanwhileIsNoPluginAnyMore) {
  const PluginFolder served = folder();
  fs::permissions(inside("one.so"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_THAT(served.names(), ElementsAre("two_2-b"));
  EXPECT_THROW(served.path_of("one"), Error);
  EXPECT_EQ(served.path_of("two_2-b"), fs::canonical(inside("two_2-b.so")));
  fs::permissions(inside(""), fs::perms::all);
  EXPECT_THAT(served.names(), ElementsAre());
  const Error error = test::error_of([&] { served.path_of("two_2-b"); });
  EXPECT_THAT(error.what(), HasSubstr("plugin 'two_2-b': its folder is owned or can be written by others"));
}

TEST_F(PluginFolderTest, WithoutAFolderThereAreNone) {
  EXPECT_THAT(PluginFolder("").names(), ElementsAre());
  EXPECT_THROW(PluginFolder("").path_of("one"), Error);
}

}  // namespace
}  // namespace graphbench::serve
