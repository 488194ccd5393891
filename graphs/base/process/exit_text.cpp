// Puts the end of a child process into words: how it ended, signal names, its last output, durations.
#include "graphs/base/process/exit_text.hpp"

#include <cstring>

namespace graphbench::process {

std::string how_it_ended(const ChildExit& exit, double silent_seconds_max, const std::string& during) {
  const std::string then = during.empty() ? "" : " " + during;
  std::string text;
  switch (exit.how) {
    case ChildExit::How::signalled:
      text = "crashed with " + signal_name(exit.signal) + then;
      break;
    case ChildExit::How::timed_out:
      text = "was silent for more than " + seconds_text(silent_seconds_max) + then + " and was killed";
      break;
    case ChildExit::How::refused:
      text = "sent an invalid message" + then + " (" + exit.refusal + ") and was killed";
      break;
    default:
      text = "ended with exit code " + std::to_string(exit.status) + then;
      break;
  }
  const std::string printed = last_lines(exit.output);
  return printed.empty() ? text : text + "; its output: " + printed;
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string last_lines(std::string_view output) {
  constexpr std::size_t bytes_max = 400;
  constexpr int lines_max = 3;
  std::string result;
  for (int lines = 0; lines < lines_max && !output.empty();) {
    while (!output.empty() && (output.back() == '\n' || output.back() == '\r')) output.remove_suffix(1);
    const std::size_t newline = output.find_last_of('\n');
    const std::string_view line = newline == std::string_view::npos ? output : output.substr(newline + 1);
    output = newline == std::string_view::npos ? std::string_view() : output.substr(0, newline);
    if (line.empty()) continue;
    result = std::string(line) + (result.empty() ? "" : " | ") + result;
    ++lines;
  }
  for (char& c : result) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return result.size() > bytes_max ? "..." + result.substr(result.size() - bytes_max + 3) : result;
}

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

}  // namespace graphbench::process
