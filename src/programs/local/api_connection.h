// ApiConnection: a running cluster as another process sees it, through its API and a kubeconfig,
// for commands that ask once and end. What a server refuses is an error with the server's words.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/kube/api/connection.h"
#include "base/result.h"

namespace gs::local {

class ApiConnection {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ApiConnection>> Open(
      const std::filesystem::path& kubeconfig);

  // `target` is a path of the API with its query.
  [[nodiscard]] Result<boost::json::value> Get(const std::string& target);
  [[nodiscard]] Result<boost::json::value> Post(const std::string& target,
                                                const boost::json::value& object);
  // The items of a list.
  [[nodiscard]] Result<boost::json::array> List(const std::string& target);
  // Objects as kubectl creates them: into "default" where they name no namespace.
  [[nodiscard]] Result<void> Create(const boost::json::value& object);

 private:
  ApiConnection() = default;
  [[nodiscard]] Result<boost::json::value> Send(const http::Request& request);
  // Where objects of that kind are created.
  [[nodiscard]] Result<std::string> FindPath(std::string_view api_version, std::string_view kind,
                                             std::string_view ns);

  std::unique_ptr<kube::Connection> connection_;
};

}  // namespace gs::local
