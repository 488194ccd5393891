// Prepares and checks streams and output files with system calls.
#include "harness/options/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::options {

void prepare_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free descriptor, which is this one, because all lower ones are open.
    if (open("/dev/null", O_RDWR) != descriptor) std::abort();
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool is_terminal(int descriptor) {
  return isatty(descriptor) == 1;
}

bool reader_is_gone() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

bool wants_colours(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return is_terminal(descriptor);
}

int width_of(int descriptor, int fallback) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return fallback;
  return size.ws_col;
}

void check_output_file(const std::string& where, const std::string& path, Stdout dash) {
  const bool takes_stdout = dash == Stdout::allowed;
  if (takes_stdout && path == "-") return;
  try {
    check_writable(path);
  } catch (const std::exception& error) {
    throw InputError(where, std::string(error.what()) +
                                ": give a file in a folder that exists and can be written" +
                                (takes_stdout ? ", or -" : ""));
  }
}

void write_document(const std::string& path, std::string_view document, const std::string& where) {
  if (path != "-") {
    write_file_atomically(path, document);
    return;
  }
  std::cout << document << std::flush;
  if (!std::cout) throw Error(ErrorCode::io, where + "stdout could not be written");
}

bool same_file(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code error;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return one == other || (whole(one) == whole(other) && !error);
}

bool is_json(const std::string& format) {
  if (format == "json") return true;
  if (format == "table") return false;
  throw InputError("--format", in_quotes(format) + " is not a format: give table or json" +
                                   did_you_mean(format, {"table", "json"}));
}

}  // namespace graphbench::options
