// Plain system calls, each checked.
#include "harness/process/child_io.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "graphs/ir/error.hpp"

namespace graphbench::process {
namespace {

[[noreturn]] void fail(const std::string& operation) {
  throw Error(ErrorCode::io, operation + ": " + std::strerror(errno));
}

}  // namespace

bool die_with_parent(std::string_view parent) {
  if (parent.empty()) return true;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("ask to die with the parent process");
  // A parent that died before the call above sends no signal any more.
  return std::to_string(getppid()) == parent;
}

std::string read_request() {
  std::string text;
  char chunk[65536];
  while (true) {
    const ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);
    if (got == 0) return text;
    if (got > 0) {
      text.append(chunk, static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      fail("read the request from stdin");
    }
  }
}

void claim_event_descriptor() {
  if (fcntl(event_descriptor, F_SETFD, FD_CLOEXEC) != 0) fail("take descriptor 3 for events");
}

int child_main(const char* name, std::string_view parent,
               const std::function<int(const std::string& request)>& answer) {
  try {
    if (!die_with_parent(parent)) return 1;
    claim_event_descriptor();
    return answer(read_request());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench %s: %s\n", name, error.what());
    return 1;
  }
}

void send_line(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t put = write(event_descriptor, text.data() + sent, text.size() - sent);
    if (put > 0) {
      sent += static_cast<std::size_t>(put);
    } else if (put < 0 && errno != EINTR) {
      fail("send an event on descriptor 3");
    }
  }
}

}  // namespace graphbench::process
