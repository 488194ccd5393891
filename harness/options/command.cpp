// Turns exceptions into messages and exit codes for all commands.
#include "harness/options/command.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "graphs/base/error.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "graphs/base/text.hpp"
#include "harness/options/output.hpp"

namespace graphbench::options {
namespace {

int fail_with(const std::string& message, int exit_code) {
  // Unquoted parts of the message, such as a path, may contain control characters.
  std::string line = message;
  for (char& c : line) c = c == '\n' || c == '\r' ? ' ' : c;
  line = with_unseen_escaped(line, Controls::escaped);
  complain("%s", line.c_str());
  return exit_code;
}

}  // namespace

int guarded(const std::function<int()>& work) {
  try {
    const int exit_code = work();
    // ferror() also reports failed writes before this fflush(), when the buffer was full.
    const bool unwritten = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (unwritten && exit_code == model::exit_done && !reader_is_gone()) {
      return fail_with("write to stdout: the output could not be written", model::exit_error);
    }
    return exit_code;
  } catch (const InputError& error) {
    return fail_with(error.what(), model::exit_bad_input);
  } catch (const process::Interrupted&) {
    return fail_with("interrupted before anything was measured", model::exit_interrupted);
  } catch (const std::bad_alloc&) {
    return fail_with("allocate memory: the system refuses more memory to this process", model::exit_error);
  } catch (const std::system_error& error) {
    // The standard library uses this error code only if a thread cannot be started.
    const bool of_thread = error.code() == std::errc::resource_unavailable_try_again;
    return fail_with((of_thread ? "start a thread: " : "") + std::string(error.what()), model::exit_error);
  } catch (const std::exception& error) {
    return fail_with(error.what(), model::exit_error);
  }
}

}  // namespace graphbench::options
