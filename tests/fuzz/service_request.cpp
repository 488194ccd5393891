// libFuzzer target: a body for the service, as JSON and as TOML, is accepted, or refused with one line.
#include <algorithm>

#include "harness/service/serve/sweep_request.hpp"
#include "tests/fuzz/target.hpp"

namespace graphbench::fuzz {
namespace {

template <typename Read>
void hold_that(Read&& read) {
  try {
    read();
  } catch (const InputError& error) {
    expect(!std::string_view(error.what()).empty());
  }
}

void parse(const std::string& body, service::BodyFormat format) {
  const service::AskedSweep asked = service::parse_sweep_request(body, format, {"mine"}).asked;
  for (const std::string& plugin : asked.plugins) expect(plugin == "mine");
  for (const std::string& argument : asked.options) {
    // A request must not set an option that names a file: the service would read or write that file.
    for (const char* option : {"--json", "--config", "--plugin", "--samples", "--trace", "--prometheus"})
      expect(!argument.starts_with(option));
  }
}

}  // namespace

void hold(std::string_view text) {
  const std::string body(text);
  hold_that([&] { parse(body, service::BodyFormat::json); });
  // toml++ 3.3 runs into undefined behaviour on letters beyond ASCII in an invalid value (`a = 0x"\u0185"`).
  // Sanitizers stop there, so TOML is tried with ASCII alone.
  const bool ascii = std::ranges::all_of(text, [](char byte) { return (byte & 0x80) == 0; });
  if (ascii) hold_that([&] { parse(body, service::BodyFormat::toml); });
  hold_that([&] {
    service::answer_comparison(body, [](const std::string&) { return std::optional<std::string>(); });
  });
}

}  // namespace graphbench::fuzz
