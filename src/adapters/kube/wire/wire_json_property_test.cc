// Any object of any kind that the table knows, sent as protobuf, is the same object again in JSON.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <boost/json/parse.hpp>
#include <utility>

#include "adapters/kube/wire/protobuf.h"
#include "adapters/kube/wire/protobuf_for_test.h"

namespace gs::kube {
namespace {

namespace json = boost::json;
using rc::gen::arbitrary;

constexpr int kMaxDepth = 5;

constexpr std::array<std::pair<const char*, const char*>, 15> kKinds{{
    {"v1", "Pod"},
    {"v1", "Node"},
    {"v1", "Namespace"},
    {"v1", "Secret"},
    {"v1", "PersistentVolume"},
    {"v1", "PersistentVolumeClaim"},
    {"coordination.k8s.io/v1", "Lease"},
    {"storage.k8s.io/v1", "StorageClass"},
    {"storage.k8s.io/v1", "CSINode"},
    {"storage.k8s.io/v1", "CSIDriver"},
    {"storage.k8s.io/v1", "CSIStorageCapacity"},
    {"storage.k8s.io/v1", "VolumeAttachment"},
    {"apps/v1", "Deployment"},
    {"policy/v1", "PodDisruptionBudget"},
    {"v1", "Status"},
}};

bool Sometimes() { return *rc::gen::inRange(0, 3) == 0; }

std::string AnyText() {
  const auto letters =
      rc::gen::element<std::string>("a", "Z", "-", "\"", "\\", "\n", "é", "漢", "😀");
  std::string text;
  for (const auto& letter : *rc::gen::container<std::vector<std::string>>(letters)) text += letter;
  return text;
}

json::value AnyTime(TimeDetail detail) {
  const auto micros =
      *rc::gen::inRange<std::int64_t>(-1'000'000'000'000'000, 4'000'000'000'000'000);
  return json::string(PrintTime(TimePoint(std::chrono::microseconds(micros)), detail));
}

json::value AnyNumber() {
  return *rc::gen::oneOf(arbitrary<std::int64_t>(), rc::gen::inRange<std::int64_t>(-3, 3));
}

json::value AnyBasic(char type) {
  switch (type) {
    case 'i': return AnyNumber();
    case 'b': return *arbitrary<bool>();
    case 'f': return static_cast<double>(*arbitrary<std::int32_t>()) + 0.5;
    case 'y': return json::string(EncodeBase64(AnyText()));
    case 'T': return AnyTime(TimeDetail::kSeconds);
    case 'U': return AnyTime(TimeDetail::kMicros);
    case 'D': return json::string(PrintDuration(Duration(*rc::gen::inRange(0, 1'000'000'000))));
    case 'Q': return json::string(std::to_string(*rc::gen::inRange(0, 1000)) + "Mi");
    case 'I':
      if (*arbitrary<bool>()) return json::string(AnyText());
      return std::int64_t{*arbitrary<std::int32_t>()};
    case 'R': return json::object{{"any", json::array{AnyNumber(), nullptr}}};
    default: return json::string(AnyText());
  }
}

// What Go leaves out where it cannot be told from something that was never set.
bool IsZero(const json::value& value) {
  return value == json::value(0) || value == json::value(false) || value == json::value("") ||
         (value.is_object() && value.get_object().empty());
}

void AddFields(const ApiType& type, int depth, json::object& object);

json::value AnyItem(const ApiField& field, int depth) {
  if (field.type == nullptr) return AnyBasic(field.basic);
  json::object object;
  AddFields(*field.type, depth + 1, object);
  return object;
}

json::value AnyMany(const ApiField& field, int depth) {
  json::array list;
  json::object map;
  for (int i = *rc::gen::inRange(1, 3); i > 0; --i) {
    list.push_back(AnyItem(field, depth));
    map[AnyText()] = AnyItem(field, depth);
  }
  if (field.shape == ApiField::Shape::kList) return list;
  return map;
}

void AddField(const ApiField& field, int depth, json::object& object) {
  const bool is_one = field.shape == ApiField::Shape::kOne;
  const bool is_object = field.type != nullptr;
  if (field.is_inline) return AddFields(*field.type, depth + 1, object);
  const bool is_always_there = is_one && !field.is_optional && (is_object || field.keeps_zero);
  if (!is_always_there && (!Sometimes() || depth >= kMaxDepth)) return;
  json::value value = is_one ? AnyItem(field, depth) : AnyMany(field, depth);
  const bool shows_zero = !is_one || field.is_optional || field.keeps_zero;
  if (shows_zero || !IsZero(value)) object[field.name] = std::move(value);
}

void AddFields(const ApiType& type, int depth, json::object& object) {
  for (const auto& field : type.fields) AddField(field, depth, object);
}

RC_GTEST_PROP(WireJsonProperty, AnyObjectIsReadBack, ()) {
  const auto& [version, kind] = kKinds.at(*rc::gen::inRange<std::size_t>(0, kKinds.size()));
  const ApiType* type = FindApiType(version, kind);
  RC_ASSERT(type != nullptr);
  json::object object;
  AddFields(*type, 0, object);
  const std::string bytes = wire_test::Envelope(version, kind, wire_test::Encode(*type, object));
  object["apiVersion"] = version;
  object["kind"] = kind;
  const auto text = ProtobufToJson(bytes);
  RC_ASSERT(text.ok());
  const auto read = json::parse(*text);
  if (read != object) RC_LOG() << *text << "\n" << json::serialize(object);
  RC_ASSERT(read == object);
}

// However the bytes are spoilt, the answer is JSON or a refusal.
RC_GTEST_PROP(WireJsonProperty, SpoiltBytesAreRefusedOrJson, ()) {
  const auto& [version, kind] = kKinds.at(*rc::gen::inRange<std::size_t>(0, kKinds.size()));
  const ApiType* type = FindApiType(version, kind);
  json::object object;
  AddFields(*type, 0, object);
  std::string bytes = wire_test::Envelope(version, kind, wire_test::Encode(*type, object));
  for (int i = 0; i < 3; ++i) {
    bytes.at(*rc::gen::inRange<std::size_t>(4, bytes.size())) = *arbitrary<char>();
  }
  const auto text = ProtobufToJson(bytes);
  json::error_code ec;
  if (text) (void)json::parse(*text, ec, {}, {.max_depth = 256});
  RC_ASSERT(!ec);
}

}  // namespace
}  // namespace gs::kube
