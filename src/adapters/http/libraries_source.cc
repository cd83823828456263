// The compiled halves of Asio's TLS and of Beast, once for the whole project.
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
