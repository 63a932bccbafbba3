// Where tools keep what they would make again: compiled modules, measured machines.
#pragma once

#include <cstdlib>
#include <string>

namespace tw {

/// TENSORWRIGHT_CACHE, XDG_CACHE_HOME/tensorwright or ~/.cache/tensorwright; empty if none of these
/// is set.
inline std::string getCacheFolder() {
  auto variable = [](const char *name) -> std::string {
    const char *value = getenv(name);
    return value ? value : "";
  };
  if (std::string named = variable("TENSORWRIGHT_CACHE"); !named.empty())
    return named;
  if (std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/tensorwright";
  if (std::string home = variable("HOME"); !home.empty())
    return home + "/.cache/tensorwright";
  return "";
}

/// The folder of the tables that --measure keeps, one file for each machine; empty as above.
inline std::string getMachinesFolder() {
  std::string folder = getCacheFolder();
  return folder.empty() ? folder : folder + "/machines";
}

} // namespace tw
