// Tests a real server over TLS with trusted, slow and plain-text clients, and which certificate files load.
#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>

#include "harness/service/net/tls.hpp"
#include "tests/unit/harness/service/net/bare_client.hpp"
#include "tests/unit/harness/service/net/certificates.hpp"

namespace graphbench::service {
namespace {

namespace ssl = boost::asio::ssl;
using boost::asio::ip::tcp;
using boost::system::error_code;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class TlsServerTest : public testing::Test {
 protected:
  std::unique_ptr<HttpServer> serve(const TlsFiles& files, Handler handler = nullptr,
                                    ServerLimits limits = {}) const {
    ServerSettings settings = on_a_free_port(limits);
    settings.tls = load_tls(files);
    if (!handler)
      handler = [](const Request& request) { return text_response(200, request.path + " over TLS"); };
    return std::make_unique<HttpServer>(std::move(settings), std::move(handler));
  }

  CertificateFolder folder_;
  Certificate ca_{"root"};
  Certificate server_{"server", &ca_};
  TlsFiles ca_files_ = folder_.files("ca", ca_);
  TlsFiles server_files_ = folder_.files("server", server_);
};

class TlsClient {
 public:
  explicit TlsClient(const std::string& ca) : context_(ssl::context::tls_client) {
    context_.load_verify_file(ca);
    context_.set_verify_mode(ssl::verify_peer);
  }
  ssl::context& context() { return context_; }
  error_code shake_hands(const HttpServer& server) {
    stream_ = std::make_unique<ssl::stream<tcp::socket>>(io_, context_);
    stream_->next_layer().connect({boost::asio::ip::make_address("127.0.0.1"), server.address().port});
    error_code error;
    stream_->handshake(ssl::stream_base::client, error);
    return error;
  }
  void write(const std::string& bytes) { boost::asio::write(*stream_, boost::asio::buffer(bytes)); }
  std::string read_to_end() {
    std::string bytes;
    boost::asio::read(*stream_, boost::asio::dynamic_buffer(bytes), end_);
    return bytes;
  }
  std::string read_until(const std::string& what) {
    std::string bytes;
    char byte = 0;
    while (bytes.find(what) == std::string::npos) {
      boost::asio::read(*stream_, boost::asio::buffer(&byte, 1));
      bytes += byte;
    }
    return bytes;
  }
  error_code end() const { return end_; }
  std::string cipher() const { return SSL_get_cipher_name(stream_->native_handle()); }

 private:
  boost::asio::io_context io_;
  ssl::context context_;
  std::unique_ptr<ssl::stream<tcp::socket>> stream_;
  error_code end_;
};

TEST_F(TlsServerTest, RequestsAreAnsweredAndTheEndIsSaid) {
  const auto server = serve(server_files_);
  TlsClient client(ca_files_.certificate);
  ASSERT_FALSE(client.shake_hands(*server));
  client.write(get);
  EXPECT_THAT(client.read_until("over TLS\n"), StartsWith("HTTP/1.1 200"));
  client.write(last_get());
  EXPECT_THAT(client.read_to_end(), EndsWith("/ over TLS\n"));
  EXPECT_EQ(client.end(), boost::asio::error::eof) << "and not a truncation";
}

TEST_F(TlsServerTest, BodiesLargerThanARecordArriveWhole) {
  const auto server =
      serve(server_files_, [](const Request& request) { return text_response(200, request.body); },
            {.body_bytes_max = 1'000'000});
  TlsClient client(ca_files_.certificate);
  ASSERT_FALSE(client.shake_hands(*server));
  const std::string body = std::string(300'000, 'x') + "end";
  client.write("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_THAT(client.read_to_end(), EndsWith(body + "\n"));
}

TEST_F(TlsServerTest, OldVersionsAndWeakCiphersAreRefused) {
  const auto server = serve(server_files_);
  struct Offer {
    int version;
    const char* ciphers;
    bool refused;
  };
  for (const auto& [version, ciphers, refused] :
       {Offer{TLS1_1_VERSION, "ALL", true}, Offer{TLS1_2_VERSION, "ALL", false},
        Offer{TLS1_2_VERSION, "AES128-GCM-SHA256:ECDHE+AES128+SHA1", true},
        Offer{TLS1_3_VERSION, "ALL", false}}) {
    TlsClient client(ca_files_.certificate);
    SSL_CTX_set_security_level(client.context().native_handle(), 0);  // else it does not offer TLS 1.1
    ASSERT_EQ(SSL_CTX_set_cipher_list(client.context().native_handle(), ciphers), 1);
    SSL_CTX_set_min_proto_version(client.context().native_handle(), version);
    SSL_CTX_set_max_proto_version(client.context().native_handle(), version);
    EXPECT_EQ(bool(client.shake_hands(*server)), refused) << version << " " << ciphers;
    if (version == TLS1_2_VERSION && !refused) {
      EXPECT_THAT(client.cipher(), testing::ContainsRegex("^ECDHE-.*(GCM|CHACHA20)"));
    }
  }
}

TEST_F(TlsServerTest, PlainHttpIsToldAndGarbageIsDropped) {
  const auto server = serve(server_files_);
  EXPECT_THAT(BareClient(*server, get).read_to_end(), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(BareClient(*server, get).read_to_end(), HasSubstr("begin with https://"));
  EXPECT_THAT(BareClient(*server, std::string(10'000, '\xff')).read_to_end(),
              testing::Not(HasSubstr("HTTP")));
  TlsClient client(ca_files_.certificate);
  EXPECT_FALSE(client.shake_hands(*server)) << "it serves on";
}

TEST_F(TlsServerTest, AHandshakeMayNotTakeLong) {
  ServerLimits limits;
  limits.request_max = std::chrono::milliseconds(50);
  const auto server = serve(server_files_, nullptr, limits);
  EXPECT_EQ(BareClient(*server).read_to_end(), "");
  EXPECT_EQ(BareClient(*server, std::string("\x16\x03\x01\x02\x00\x01", 6)).read_to_end(), "")
      << "the first bytes of one";
}

TEST_F(TlsServerTest, AStreamIsSentAsItComesUntilItsEnd) {
  const Streaming streaming("first\n");
  const auto server = serve(server_files_, streaming.handler());
  TlsClient client(ca_files_.certificate);
  ASSERT_FALSE(client.shake_hands(*server));
  client.write(get);
  client.read_until("first\n");
  streaming.put("second\n");
  client.read_until("second\n");
  streaming.put("third\n");
  streaming.stream->end();
  EXPECT_THAT(client.read_to_end(), EndsWith("third\n"));
  EXPECT_EQ(client.end(), boost::asio::error::eof) << "and not a truncation";
}

using File = TlsFileError::File;

class TlsTest : public testing::Test {
 protected:
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
  expect_refused({none, files_.key}, File::certificate, "the file cannot be read (No such file");
  expect_refused({files_.certificate, none}, File::key, "the file cannot be read (No such file");
  expect_refused({"/", files_.key}, File::certificate, "the file cannot be read (Is a directory)");
}

TEST_F(TlsTest, FilesThatHoldSomethingElseAreNamed) {
  const std::string text = folder_.write("text", "no certificate\n");
  expect_refused({text, files_.key}, File::certificate, "the file is not a certificate in PEM");
  expect_refused({files_.certificate, text}, File::key, "the file is not a private key in PEM");
  expect_refused({files_.certificate, files_.certificate}, File::key, "the file is not a private key in PEM");
}

TEST_F(TlsTest, AKeyThatIsAnothersOrEncryptedIsNamedWithoutAPrompt) {
  const TlsFiles other = folder_.files("other", Certificate("other"));
  expect_refused({files_.certificate, other.key}, File::key, "the key does not belong to the certificate");
  const std::string key = folder_.write("locked.key", own_.key_pem("secret"));
  expect_refused({files_.certificate, key}, File::key, "the key is encrypted");
}

TEST_F(TlsTest, CertificatesOutOfTheirTimeAreNamedWithTheDay) {
  const TlsFiles old = folder_.files("old", Certificate("old", nullptr, -10, -2));
  expect_refused(old, File::certificate, "the file has a certificate that expired on 20");
  const TlsFiles early = folder_.files("early", Certificate("early", nullptr, 2, 10));
  expect_refused(early, File::certificate, "the file has a certificate that is not valid before 20");
}

}  // namespace
}  // namespace graphbench::service
