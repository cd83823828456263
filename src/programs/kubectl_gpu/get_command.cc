#include "programs/kubectl_gpu/get_command.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "adapters/http/url.h"
#include "adapters/json/parse.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"
#include "base/text.h"
#include "programs/kubectl_gpu/picture.h"
#include "programs/kubectl_gpu/served_kind.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

constexpr const char* kAsTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

std::string CellText(const boost::json::value& cell) {
  if (cell.is_null()) return "";  // as kubectl shows it
  return cell.is_string() ? std::string(cell.get_string()) : boost::json::serialize(cell);
}

Result<boost::json::value> SendForJson(kube::Connection& connection, const http::Request& request) {
  const auto response = connection.Send(request);
  if (!response) return response.error();
  return json::ParseJson(response->body, {.max_bytes = std::size_t{1} << 30});
}

// "pod/a created"
std::string Done(const ServedKind& kind, std::string_view name, const char* what) {
  const std::size_t group = kind.base.starts_with("/apis/") ? 6 : kind.base.size();
  const std::string suffix = kind.base.substr(group, kind.base.rfind('/') - group);
  return text::ToLower(kind.kind) + (group < kind.base.size() ? "." + suffix : "") + "/" +
         std::string(name) + " " + what + "\n";
}

// Lists of what a server knows, such as containers, are merged item by item. Of custom resources no
// server knows that much, and it says so.
Result<boost::json::value> MergeInto(kube::Connection& connection, const std::string& path,
                                     const std::string& body) {
  const auto patch = [&](const char* type) {
    return SendForJson(connection, {.method = http::Method::kPatch,
                                    .target = path,
                                    .headers = {{"Content-Type", type}},
                                    .body = body});
  };
  auto merged = patch("application/strategic-merge-patch+json");
  if (merged || merged.error().kind() != ErrorKind::kUnsupported) return merged;
  return patch("application/merge-patch+json");
}

Result<std::string> ApplyObject(kube::Connection& connection, const boost::json::value& object,
                                const Namespace& ns) {
  const std::string name(localcluster::NameOf(object));
  const auto kind = FindServedKind(connection, localcluster::Text(object, {"apiVersion"}),
                                   localcluster::KindOf(object));
  if (!kind) return kind.error();
  const auto own = localcluster::NamespaceOf(object);
  const std::string path = kind->Path(own.empty() ? std::string_view(ns.text()) : own);
  const std::string body = boost::json::serialize(object);
  const auto made = connection.Send({.method = http::Method::kPost,
                                     .target = path,
                                     .headers = {{"Content-Type", "application/json"}},
                                     .body = body});
  if (made) return Done(*kind, name, "created");
  if (made.error().kind() != ErrorKind::kConflict || name.empty()) return made.error();
  const auto before =
      SendForJson(connection, {.target = path + "/" + name, .headers = {}, .body = {}});
  if (!before) return before.error();
  const auto after = MergeInto(connection, path + "/" + name, body);
  if (!after) return after.error();
  const auto version = [](const boost::json::value& value) {
    return localcluster::Text(value, {"metadata", "resourceVersion"});
  };
  return Done(*kind, name, version(*before) == version(*after) ? "unchanged" : "configured");
}

}  // namespace

std::string PrintServerTable(const boost::json::value& table, AnswerForm form,
                             bool has_namespaces) {
  const auto& columns = localcluster::Items(table, {"columnDefinitions"});
  const auto is_shown = [&](const boost::json::value& column) {
    return form == AnswerForm::kWide || localcluster::Int(column, {"priority"}) == 0;
  };
  Table::Row header;
  if (has_namespaces) header.emplace_back("NAMESPACE");
  for (const auto& column : columns) {
    if (!is_shown(column)) continue;
    std::string name(localcluster::Text(column, {"name"}));
    for (char& letter : name) {
      if (text::IsLower(letter)) letter = static_cast<char>(letter - 'a' + 'A');
    }
    header.emplace_back(std::move(name));
  }
  Table lines(std::move(header));
  for (const auto& each : localcluster::Items(table, {"rows"})) {
    const auto& cells = localcluster::Items(each, {"cells"});
    Table::Row row;
    if (has_namespaces) {
      row.emplace_back(std::string(localcluster::Text(each, {"object", "metadata", "namespace"})));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (is_shown(columns[i])) row.emplace_back(i < cells.size() ? CellText(cells[i]) : "");
    }
    lines.Add(std::move(row));
  }
  return lines.empty() ? "No resources found\n" : lines.Print();
}

Result<Answer> GetObjects(kube::Connection& connection, const GetQuestion& question,
                          const Namespace& ns, AnswerForm form) {
  const auto kind = FindServedKind(connection, question.kind);
  if (!kind) return kind.error();
  http::Request request{.target = kind->Path(ns.text()), .headers = {}, .body = {}};
  if (!question.name.empty()) request.target += "/" + question.name;
  if (!question.selector.empty()) {
    request.target += "?labelSelector=" + http::EncodeQuery(question.selector);
  }
  if (IsForPeople(form)) request.headers.Add("Accept", kAsTable);
  const auto found = SendForJson(connection, request);
  if (!found) return found.error();
  if (!found->is_object()) {
    return Error(ErrorKind::kInvalid, "the answer is no object").Within(request.target);
  }
  if (!IsForPeople(form)) return Answer{PrintObject(found->get_object(), form)};
  return Answer{PrintServerTable(*found, form, kind->is_namespaced && ns.empty())};
}

Result<Answer> ApplyObjects(kube::Connection& connection, const ApplyQuestion& question,
                            const Namespace& ns) {
  Answer answer;
  for (const auto& object : question.objects) {
    const auto done = ApplyObject(connection, object, ns);
    if (!done) {
      return Error(done.error())
          .Within(std::string(localcluster::KindOf(object)) + " " +
                  std::string(localcluster::NameOf(object)));
    }
    answer.text += *done;
  }
  return answer;
}

}  // namespace gs::kubectl_gpu
