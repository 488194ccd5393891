// Cells travel as they will stand in the result document.
#include "harness/service/serve/sweep_events.hpp"

#include "harness/codec/messages.hpp"
#include "harness/codec/result_fields.hpp"

namespace graphbench::codec {

template <>
struct Description<model::Progress> {
  using T = model::Progress;
  static constexpr auto fields =
      std::tuple(field("cells_done", &T::cells_done), field("cells_total", &T::cells_total),
                 field("tasks_done", &T::tasks_done), field("tasks_total", &T::tasks_total),
                 field("elapsed_seconds", &T::elapsed_seconds), field("eta_seconds", &T::eta_seconds),
                 field("worker", &T::worker), field("phase", &T::phase), field("batch", &T::batch),
                 field("failures", &T::failures));
};

template <>
struct Description<serve::SweepBegan> {
  using T = serve::SweepBegan;
  static constexpr auto fields = std::tuple(field("device", &T::device), field("facts", &T::facts));
};

template <>
struct Description<serve::SweepProgress> {
  static constexpr auto fields = std::tuple(field("progress", &serve::SweepProgress::progress));
};

struct CellDocuments {
  std::optional<Json> write(const serve::SweepCells& event) const {
    return JsonWriter(Form::document).write(event.cells);
  }
  void read(JsonWalk& walk, JsonWalk::Value value, serve::SweepCells& event) const {
    JsonReader(walk).read(value, event.cells);
  }
};

template <>
struct Description<serve::SweepCells> {
  static constexpr auto fields = std::tuple(CustomField<CellDocuments>{"cells", {}});
};

template <>
struct Messages<serve::SweepEvent> {
  static constexpr std::array<std::string_view, 3> names = {"began", "progress", "cells"};
};

}  // namespace graphbench::codec

namespace graphbench::serve {

std::string encode_sweep_event(const SweepEvent& event) {
  return codec::write_message(event);
}

SweepEvent decode_sweep_event(std::string_view line) {
  return codec::read_message<SweepEvent>(line, "read sweep event");
}

}  // namespace graphbench::serve
