// WireJson: objects of the API from protobuf straight to JSON text, by what the table says of their
// types. Nothing stands between the bytes and the text, since a cluster's pods go this way when a
// scheduler starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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
  void Object(std::string_view message, const ApiType& type, int depth);
  void Members(std::string_view message, const ApiType& type, int depth);
  // False: the fields do not lie in the order of their numbers.
  [[nodiscard]] bool MembersInOrder(WireReader& reader, const ApiType& type, int depth);
  // Each of these writes what begins with `wire` and lies together, leaves what comes next in
  // `wire`, and answers whether there is something.
  [[nodiscard]] bool Single(const ApiField& field, WireReader& reader, WireField& wire, int depth);
  [[nodiscard]] bool Several(const ApiField& field, WireReader& reader, WireField& wire, int depth);
  void Mark(std::uint32_t number);
  void One(const ApiField& field, const WireField& wire, int depth);
  void Entry(const ApiField& field, std::string_view entry, int depth);
  void Value(const ApiField& field, const WireField& wire, int depth);
  void Basic(char type, const WireField& wire);
  void Close(char bracket);

  WireFields wanted_;
  std::string& json_;
  bool is_broken_ = false;
};

}  // namespace gs::kube
