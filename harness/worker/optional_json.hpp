// Optionals in the JSON that crosses pipes: an absent one travels as null.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& document, const std::optional<T>& value) {
    document = value ? json(*value) : json(nullptr);
  }
  static void from_json(const json& document, std::optional<T>& value) {
    value = document.is_null() ? std::nullopt : std::optional<T>(document.get<T>());
  }
};
