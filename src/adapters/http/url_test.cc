#include "adapters/http/url.h"

#include <gtest/gtest.h>

namespace gs::http {
namespace {

TEST(Url, ReadsItsParts) {
  const auto url = ParseUrl("HTTPS://Example.Test:6443/api/v1/pods?watch=true");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(*url, (Url{.is_tls = true,
                       .host = "example.test",
                       .port = 6443,
                       .target = "/api/v1/pods?watch=true"}));
}

TEST(Url, TheSchemeImpliesThePortAndThePathIsOptional) {
  EXPECT_EQ(ParseUrl("http://a")->port, 80);
  EXPECT_EQ(ParseUrl("https://a")->port, 443);
  EXPECT_EQ(ParseUrl("http://a")->target, "/");
  EXPECT_EQ(ParseUrl("http://a?x=1")->target, "/?x=1");
}

TEST(Url, ReadsIpv6AddressesInBrackets) {
  const auto url = ParseUrl("https://[::1]:8443/x");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(PrintUrl(*url), "https://[::1]:8443/x");
  EXPECT_EQ(Authority(*ParseUrl("https://[fe80::1]")), "[fe80::1]");
}

TEST(Url, PrintsWhatItReadsBack) {
  for (const char* text : {"http://a/", "https://a:80/x?y=%20", "http://10.0.0.1:8080/"}) {
    EXPECT_EQ(PrintUrl(*ParseUrl(text)), text);
  }
}

TEST(Url, RefusesWhatIsNoUrl) {
  for (const char* text :
       {"", "a", "ftp://a", "http://", "http://:80", "http://a:", "http://a:0", "http://a:65536",
        "http://a:8x", "http://[::1", "http://[::1]x", "http://[]", "http://[abc]", "http://u@a",
        "http://a/ b", "http://a/#f", "http://a\r\nb", "http://a/\x80"}) {
    EXPECT_FALSE(ParseUrl(text).ok()) << text;
  }
}

TEST(Url, QueryTextIsEncodedAndDecoded) {
  EXPECT_EQ(EncodeQuery("a b&c=d/e~f"), "a%20b%26c%3Dd%2Fe~f");
  EXPECT_EQ(*DecodeQuery("a+b%26c%3dd"), "a b&c=d");
  EXPECT_EQ(*DecodeQuery(EncodeQuery("\xC3\xBC\n%")), "\xC3\xBC\n%");
  EXPECT_EQ(*DecodeQuery("%41"), "A");
  for (const char* text : {"%", "%4", "a%4", "%zz"}) EXPECT_FALSE(DecodeQuery(text).ok()) << text;
}

}  // namespace
}  // namespace gs::http
