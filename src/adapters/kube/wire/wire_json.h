// WireJson: objects of the API from protobuf straight to JSON text, by what the table says of their
// types. Nothing stands between the bytes and the text, since a cluster's pods go this way when a
// scheduler starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/wire/api_fields.h"
#include "adapters/kube/wire/wire_reader.h"

namespace gs::kube {

enum class WireFields : std::uint8_t {
  kAll,   // that the table has
  kRead,  // without those of never_read.h; with a mark for each that the table does not have, so
          // that what is newer than this program is not taken for absent
};

class WireJson {
 public:
  // Appends to `json`.
  WireJson(WireFields wanted, std::string& json) : wanted_(wanted), json_(json) {}

  // An object, from its message. False: the bytes are cut off, make no sense or are nested too
  // deeply, and what was appended is worth nothing.
  [[nodiscard]] bool Append(std::string_view message, const ApiType& type);
  // Only its members, each with a comma behind it.
  [[nodiscard]] bool AppendMembers(std::string_view message, const ApiType& type);

 private:
  struct KnownField {
    const ApiField* field;
    WireField wire;
  };

  void Object(std::string_view message, const ApiType& type, int depth);
  void Members(std::string_view message, const ApiType& type, int depth);
  // Puts them at the end of fields_, in the order of their numbers.
  void Collect(std::string_view message, const ApiType& type);
  void Mark(std::uint32_t number);
  // The fields from `begin` to `end` are the same one again and again.
  void Member(std::size_t begin, std::size_t end, int depth);
  void One(const ApiField& field, const WireField& wire, int depth);
  void Entry(const ApiField& field, std::string_view entry, int depth);
  void Value(const ApiField& field, const WireField& wire, int depth);
  void Basic(char type, const WireField& wire);
  void Close(char bracket);

  WireFields wanted_;
  std::string& json_;
  std::vector<KnownField> fields_;  // of all messages that are being read, the innermost last
  bool is_broken_ = false;
};

}  // namespace gs::kube
