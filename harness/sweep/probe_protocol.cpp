// The JSON form of the probe's questions and answers.
#include "harness/sweep/probe_protocol.hpp"

#include "harness/codec/messages.hpp"
#include "harness/codec/result_fields.hpp"

namespace graphbench::codec {

template <>
struct Description<DeviceStatus> {
  using T = DeviceStatus;
  static constexpr auto fields = std::tuple(field("id", &T::id), field("available", &T::available),
                                            field("detail", &T::detail), field("advice", &T::advice));
};

template <>
struct Description<abi::WorkloadOption> {
  using T = abi::WorkloadOption;
  static constexpr auto fields = std::tuple(field("key", &T::key), field("help", &T::help),
                                            field("min", &T::min), field("max", &T::max));
};

template <>
struct Description<abi::WorkloadPreset> {
  using T = abi::WorkloadPreset;
  static constexpr auto fields = std::tuple(field("name", &T::name), field("values", &T::values));
};

template <>
struct Description<abi::WorkloadInfo> {
  using T = abi::WorkloadInfo;
  static constexpr auto fields =
      std::tuple(field("name", &T::name), field("help", &T::help), field("plugin", &T::plugin),
                 field("options", &T::options), field("presets", &T::presets));
};

template <>
struct Description<sweep::ProbeRequest> {
  using T = sweep::ProbeRequest;
  static constexpr auto fields = std::tuple(
      field("list_devices", &T::list_devices), field("device", &T::device), field("plugins", &T::plugins),
      field("list_workloads", &T::list_workloads), field("programs", &T::programs), field("dump", &T::dump));
};

template <>
struct Names<sweep::ProbeStage::What> {
  static constexpr std::array<std::string_view, 3> names = {"device", "plugin", "program"};
};

template <>
struct Description<sweep::ProbeStage> {
  using T = sweep::ProbeStage;
  static constexpr auto fields = std::tuple(field("what", &T::what), field("subject", &T::subject));
};

template <>
struct Description<sweep::ProbeFailure> {
  using T = sweep::ProbeFailure;
  static constexpr auto fields = std::tuple(field("stage", &T::stage), field("bad_input", &T::bad_input),
                                            field("bad_split", &T::bad_split), field("message", &T::message));
};

template <>
struct Description<sweep::ProbeAnswer> {
  using T = sweep::ProbeAnswer;
  static constexpr auto fields =
      std::tuple(field("devices", &T::devices), field("device", &T::device), field("facts", &T::facts),
                 field("dtypes", &T::dtypes), field("workloads", &T::workloads), field("dumps", &T::dumps),
                 field("notes", &T::notes));
};

template <>
struct Messages<sweep::ProbeEvent> {
  static constexpr std::array<std::string_view, 3> names = {"stage", "failure", "answer"};
};

}  // namespace graphbench::codec

namespace graphbench::sweep {

std::string encode_request(const ProbeRequest& request) {
  return codec::write_data(request);
}

ProbeRequest decode_request(std::string_view text) {
  return codec::read_data<ProbeRequest>(text, "read probe request");
}

std::string encode_probe_event(const ProbeEvent& event) {
  return codec::write_message(event);
}

ProbeEvent decode_probe_event(std::string_view line) {
  return codec::read_message<ProbeEvent>(line, "read probe event");
}

}  // namespace graphbench::sweep
