"""Which headers declare what this project uses of libraries outside the standard: asked by tools/check_includes.py.

A rule is a pattern of uses, and a pattern of headers of which a file must reach one.
"""

import re
from dataclasses import dataclass

ASIO_NAMED = ["any_io_executor", "as_tuple", "awaitable", "buffer", "co_spawn", "detached", "executor_work_guard", "io_context",
              "post", "redirect_error", "steady_timer", "strand", "thread_pool", "use_awaitable", "use_future"]
JSON_NAMED = ["parse", "serialize", "value_from", "value_to"]
# In namespace testing, but not of GoogleMock; what begins with a small letter is an inner namespace of either.
GOOGLETEST = ["AddGlobalTestEnvironment", "AssertionFailure", "AssertionResult", "AssertionSuccess", "Bool", "Combine",
              "Environment", "EmptyTestEventListener", "InitGoogleTest", "Message", "PrintToString", "Range", "StaticAssertTypeEq",
              "TempDir", "Test", "TestEventListener", "TestInfo", "TestParamInfo", "TestPartResult", "TestWithParam", "UnitTest",
              "Values", "ValuesIn", "WithParamInterface"]


@dataclass
class Rule:
    beginnings: list[str]  # of uses; finding none of these texts is quicker than not finding the pattern
    uses: re.Pattern
    headers: re.Pattern
    sentence: str  # what to include
    suffixes: tuple[str, ...]

    def broken(self, path: str, text: str, reached: set[str]) -> re.Match | None:
        """The first use in a file that reaches none of the headers."""
        if not path.endswith(self.suffixes) or not any(beginning in text for beginning in self.beginnings):
            return None
        if any(self.headers.match(name) for name in reached):
            return None
        return self.uses.search(text)


def rule(uses: list[str], headers: str, sentence: str, suffixes: tuple[str, ...] = (".h", ".cc")) -> Rule:
    """Each use is a pattern; it begins with the text before its first character that a pattern gives a meaning."""
    beginnings = [re.match(r"[\w:]+", use)[0] for use in uses]
    return Rule(beginnings, re.compile(rf"(?<![\w:.])(?:::)?(?:{'|'.join(uses)})"), re.compile(headers), sentence, suffixes)


def of_namespace(namespace: str, folder: str) -> Rule:
    return rule([rf"{namespace}::\w+"], re.escape(folder), f"a header <{folder}...>")


def named(namespace: str, folder: str, name: str) -> Rule:
    """A name that is declared in the header of the same name."""
    whole = re.escape(folder.rstrip("/"))
    return rule([rf"{namespace}::{name}\b"], rf"{whole}(?:/{name})?\.hpp$", f"<{folder}{name}.hpp>")


def calls(names: str) -> list[str]:
    return [rf"{name}\(" for name in names.split()]


RULES = [
    # <boost/json/fwd.hpp> is enough for a header that only declares.
    rule([r"boost::json::\w+"], r"boost/json(?!/fwd)", "a header <boost/json/...> other than fwd.hpp", (".cc",)),
    of_namespace("boost::json", "boost/json"),
    *(named("boost::json", "boost/json/", name) for name in JSON_NAMED),
    of_namespace("boost::asio", "boost/asio"),
    *(named("boost::asio", "boost/asio/", name) for name in ASIO_NAMED),
    rule([r"boost::asio::make_strand\b"], r"boost/asio(?:/strand)?\.hpp$", "<boost/asio/strand.hpp>"),
    rule([r"boost::asio::async_write\b"], r"boost/asio(?:/write)?\.hpp$", "<boost/asio/write.hpp>"),
    rule([r"boost::asio::this_coro::"], r"boost/asio(?:/this_coro)?\.hpp$", "<boost/asio/this_coro.hpp>"),
    rule([r"boost::asio::error::"], r"boost/asio(?:/error)?\.hpp$", "<boost/asio/error.hpp>"),
    rule([r"boost::asio::ip::"], r"boost/asio(?:/ip/.*|\.hpp)$", "a header <boost/asio/ip/...>"),
    of_namespace("boost::asio::ssl", "boost/asio/ssl"),
    of_namespace("boost::beast", "boost/beast"),
    rule([r"boost::system::\w+"], r"boost/(?:system|asio|beast|json)", "<boost/system/error_code.hpp>"),
    rule([r"boost::regex\w*", r"boost::sregex\w*", r"boost::smatch"], r"boost/regex", "<boost/regex.hpp>"),
    of_namespace("boost::mp11", "boost/mp11"),
    rule([r"boost::describe::\w+", r"BOOST_DESCRIBE_\w+"], r"boost/describe", "<boost/describe.hpp>"),
    of_namespace("simdjson", "simdjson.h"),
    rule([*(rf"testing::{name}\b" for name in GOOGLETEST), r"EXPECT_[A-Z_]+\(", r"ASSERT_[A-Z_]+\(",
          *calls("TEST TEST_F TEST_P ADD_FAILURE FAIL GTEST_SKIP SUCCEED SCOPED_TRACE INSTANTIATE_TEST_SUITE_P")],
         r"gtest/|gmock/|rapidcheck/gtest\.h", "<gtest/gtest.h>"),
    rule([*calls("EXPECT_THAT ASSERT_THAT MATCHER MOCK_METHOD EXPECT_CALL"), r"MATCHER_P\d?\("], r"gmock/", "<gmock/gmock.h>"),
    rule([r"RC_GTEST_\w+\("], r"rapidcheck/gtest\.h", "<rapidcheck/gtest.h>"),
    rule([r"rc::\w+", r"RC_[A-Z_]+\("], r"rapidcheck", "<rapidcheck.h>"),
    of_namespace("CLI", "CLI/"),
    of_namespace("spdlog", "spdlog/"),
    rule([r"fmt::\w+"], r"fmt/|spdlog/fmt/", "a header <fmt/...>"),
    of_namespace("YAML", "yaml-cpp/"),
    of_namespace("prometheus", "prometheus/"),
    rule([r"benchmark::\w+", r"BENCHMARK\w*\("], r"benchmark/", "<benchmark/benchmark.h>"),
    rule([r"grpc::\w+"], r"grpcpp/|grpc/|.*\.grpc\.pb\.h$", "<grpcpp/grpcpp.h>"),
    rule([r"nghttp2_\w+", r"NGHTTP2_\w+"], r"nghttp2/", "<nghttp2/nghttp2.h>"),
    rule([rf"{name}_[a-zA-Z]\w*\(" for name in ("SSL", "X509", "EVP", "BIO", "PEM", "ASN1", "ERR", "RAND")],
         r"openssl/|boost/asio/ssl", "a header <openssl/...>"),
    rule(calls("fork getpid getppid usleep dup2 execv execve execvp isatty gethostname"), r"unistd\.h", "<unistd.h>"),
    rule(calls("kill"), r"signal\.h", "<signal.h>"),
    rule(calls("waitpid WEXITSTATUS WIFEXITED WIFSIGNALED WTERMSIG"), r"sys/wait\.h", "<sys/wait.h>"),
    rule(calls("setenv unsetenv mkdtemp mkstemp"), r"cstdlib|stdlib\.h", "<stdlib.h>"),
    rule(calls("dlopen dlsym dlclose dlerror"), r"dlfcn\.h", "<dlfcn.h>"),
    rule(calls("malloc_trim mallinfo mallinfo2"), r"malloc\.h", "<malloc.h>"),
]
MATCHER = re.compile(r"(?<![\w.])(?:::)?testing::([A-Z]\w*)")
