// What many files of adapters and programs include, compiled once; core.h says what that leaves to the files.
#include <boost/json.hpp>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <random>
#include <simdjson.h>
#include <stop_token>
#include <thread>

#include "base/text.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "standard.h"
#include "variants.h"
