// Which files a server takes for its certificate, and what is said of the others.
#include "harness/service/net/tls.hpp"

#include <gmock/gmock.h>

#include "tests/unit/harness/service/net/certificates.hpp"

namespace graphbench::net {
namespace {

using testing::HasSubstr;
using File = TlsFileError::File;

class TlsTest : public testing::Test {
 protected:
  // What is said of `files`, and of which one.
  void expect_refused(const TlsFiles& files, File file, const std::string& words) const {
    try {
      static_cast<void>(load_tls(files));
      ADD_FAILURE() << "accepted: " << words;
    } catch (const TlsFileError& error) {
      EXPECT_EQ(error.file(), file) << error.what();
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr(words), testing::Not(HasSubstr("\n"))));
    }
  }

  CertificateFolder folder_;
  Certificate own_{"own"};
  TlsFiles files_ = folder_.files("own", own_);
};

TEST_F(TlsTest, FilesThatCannotBeReadAreNamed) {
  EXPECT_NE(load_tls(files_), nullptr) << "a certificate with its key";
  const std::string none = folder_.write("x", "") + ".none";
  expect_refused({none, files_.key}, File::certificate, "it cannot be read (No such file");
  expect_refused({files_.certificate, none}, File::key, "it cannot be read (No such file");
  expect_refused({"/", files_.key}, File::certificate, "it cannot be read (Is a directory)");
}

TEST_F(TlsTest, FilesThatHoldSomethingElseAreNamed) {
  const std::string text = folder_.write("text", "no certificate\n");
  expect_refused({text, files_.key}, File::certificate, "it is no certificate in PEM");
  expect_refused({files_.certificate, text}, File::key, "it is no private key in PEM");
  expect_refused({files_.certificate, files_.certificate}, File::key, "it is no private key in PEM");
}

TEST_F(TlsTest, AKeyThatIsAnothersOrEncryptedIsNamedWithoutAPrompt) {
  const TlsFiles other = folder_.files("other", Certificate("other"));
  expect_refused({files_.certificate, other.key}, File::key, "it is not the key of the certificate");
  const std::string key = folder_.write("locked.key", own_.key_pem("secret"));
  expect_refused({files_.certificate, key}, File::key, "it is encrypted");
}

TEST_F(TlsTest, CertificatesOutOfTheirTimeAreNamedWithTheDay) {
  const TlsFiles old = folder_.files("old", Certificate("old", nullptr, -10, -2));
  expect_refused(old, File::certificate, "it holds a certificate that expired on 20");
  const TlsFiles early = folder_.files("early", Certificate("early", nullptr, 2, 10));
  expect_refused(early, File::certificate, "it holds a certificate that is not valid before 20");
}

}  // namespace
}  // namespace graphbench::net
