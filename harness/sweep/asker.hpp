// Asks processes that answer one request each (harness/measure/worker/answers.hpp), one after the other, for
// a Job. Takes the answers that an earlier run got, keeps new ones for a later run, and shows progress.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "graphs/base/clock.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"
#include "harness/sweep/driver.hpp"

namespace graphbench::sweep {

struct Question {
  std::string name;         // for people: "eager, mlp/tiny/..."
  std::string request;      // equal requests measure the same, in any run of the plan
  bool of_failure = false;  // whether a failure is a measurement; else it is measured again
};

// Whether an earlier run got the first answer to this question.
bool is_answered(const Question& question, const Earlier& earlier);

class Asker {
 public:
  explicit Asker(Run& run) : run_(run) {}

  // More processes are to come.
  void expect(std::int64_t processes);

  // `ask` starts the process and returns its answer, or throws process::Interrupted. Throws InputError if a
  // kept answer cannot be read.
  template <typename Answer>
  Answer ask(const Question& question, const std::function<Answer(const process::TickHandler&)>& ask) {
    if (const std::string* const kept = begin(question)) {
      try {
        Answer answer = model::read_data<Answer>(*kept, "read the answer");
        end();
        return answer;
      } catch (const Error& error) {
        refuse(error.what());
      }
    }
    Answer answer = ask([this] { show(); });
    if (run_.keep && (question.of_failure || answer.status != model::CellStatus::failed))
      keep(model::write_data(answer));
    end();
    return answer;
  }

 private:
  // Returns what an earlier run was answered; null: nothing.
  const std::string* begin(const Question& question);
  void keep(std::string answer);
  void end();
  void show();
  [[noreturn]] void refuse(const std::string& why) const;

  Run& run_;
  const Stopwatch watch_;
  model::Progress progress_;
  std::map<std::string, std::int64_t> asked_;  // by request
  std::string id_;                             // of the answer that is asked for
  bool runs_ = false;                          // whether a process runs
  double began_seconds_ = 0;
  double ended_seconds_ = 0;  // the sum over the processes that ended in this run
  std::int64_t ended_ = 0;
};

}  // namespace graphbench::sweep
