// libFuzzer target: the bodies that clients of the service send, as JSON and TOML (and so the reader of
// configuration files): they are taken, or one line says why not.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "graphs/base/text.hpp"
#include "harness/service/serve/sweep_request.hpp"

namespace {

using namespace graphbench;

template <typename Read>
void hold(Read&& read) {
  try {
    read();
  } catch (const InputError& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}

void parse(const std::string& body, serve::BodyFormat format) {
  const serve::AskedSweep asked = serve::parse_sweep_request(body, format, {"mine"}).asked;
  for (const std::string& plugin : asked.plugins) {
    if (plugin != "mine") std::abort();
  }
  for (const std::string& argument : asked.options) {
    // A file that a request could name would be read or written by the service.
    for (const char* option : {"--json", "--config", "--plugin", "--samples", "--trace", "--prometheus"}) {
      if (argument.starts_with(option)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  hold([&] { parse(body, serve::BodyFormat::json); });
  // toml++ 3.3 runs into undefined behaviour on letters beyond ASCII in an invalid value (`a = 0x"\u0185"`).
  // Sanitizers stop there, so TOML is tried with ASCII alone.
  const bool ascii = std::all_of(data, data + size, [](std::uint8_t byte) { return byte < 0x80; });
  if (ascii) hold([&] { parse(body, serve::BodyFormat::toml); });
  hold([&] {
    serve::answer_comparison(body, [](const std::string&) { return std::optional<std::string>(); });
  });
  return 0;
}
