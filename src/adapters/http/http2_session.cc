#include "adapters/http/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

#include "adapters/http/http2_fields.h"
#include "base/check.h"

namespace gs::http {
namespace {

// Large enough that no answer of an API server waits for our permission.
constexpr std::int32_t kConnectionWindow = 4 << 20;
constexpr std::uint32_t kStreamWindow = 1 << 20;
// How many the server is believed to take before it has said so.
constexpr std::uint32_t kStreamsAtFirst = 100;

struct Stream {
  std::string_view body;  // of the request: what is still to be sent
  Response response;
  std::size_t head_bytes = 0;
  bool has_arrived = false;  // something of the response
  bool has_head = false;     // of the final response; what comes then are trailers
  bool has_ended = false;    // told, or nobody wants to know
};

Error Malformed(int code) {
  return {ErrorKind::kInvalid, std::string("malformed HTTP/2: ") + nghttp2_strerror(code)};
}

Error TooLarge(const char* what) {
  return {ErrorKind::kInvalid, std::string("the ") + what + " exceeds the limit"};
}

Error ResetBy(std::uint32_t code) {
  return {ErrorKind::kUnavailable,
          std::string("the request was reset: ") + nghttp2_http2_strerror(code)};
}

}  // namespace

struct Http2Session::State {
  Stream* Find(StreamId id) {
    const auto found = streams.find(id);
    return found == streams.end() || found->second.has_ended ? nullptr : &found->second;
  }
  void End(StreamId id, Stream& stream, decltype(StreamEnd::how) how) {
    stream.has_ended = true;
    ends.push_back({.stream = id, .how = std::move(how)});
  }
  void SubmitReset(StreamId id) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }

  // What the library calls, with us as `self`.
  static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame,
                      const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                      std::size_t value_size, std::uint8_t flags, void* self);
  static int OnBody(nghttp2_session* session, std::uint8_t flags, std::int32_t id,
                    const std::uint8_t* bytes, std::size_t size, void* self);
  static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int OnClose(nghttp2_session* session, std::int32_t id, std::uint32_t code, void* self);
  static int OnNotSent(nghttp2_session* session, const nghttp2_frame* frame, int code, void* self);
  static int OnSent(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static ssize_t ReadBody(nghttp2_session* session, std::int32_t id, std::uint8_t* room,
                          std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                          void* self);

  Limits limits;
  nghttp2_session* session = nullptr;
  std::unordered_map<StreamId, Stream> streams;
  std::vector<StreamEnd> ends;
  bool is_over = false;  // we have told the server goodbye, for a mistake of its own
};

namespace {

void SetUp(nghttp2_session* session, const Limits& limits) {
  constexpr std::size_t kMostHead = std::numeric_limits<std::uint32_t>::max();
  const std::array<nghttp2_settings_entry, 3> settings = {{
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<std::uint32_t>(std::min(limits.max_head_bytes, kMostHead))},
  }};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

}  // namespace

int Http2Session::State::OnBeginHeaders(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                                        void* self) {
  Stream* stream = static_cast<State*>(self)->Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  stream->has_arrived = true;
  if (!stream->has_head) stream->response = {.status = 0};  // an interim response is forgotten
  return 0;
}

// NOLINTNEXTLINE(readability-function-size): the library decides what it passes
int Http2Session::State::OnHeader(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                                  const std::uint8_t* name, std::size_t name_size,
                                  const std::uint8_t* value, std::size_t value_size,
                                  std::uint8_t /*flags*/, void* self) {
  State& state = *static_cast<State*>(self);
  Stream* stream = state.Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  stream->head_bytes += name_size + value_size;
  if (stream->head_bytes > state.limits.max_head_bytes) {
    state.End(frame->hd.stream_id, *stream, StreamBroken{TooLarge("head")});
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
  }
  if (!stream->has_head) TakeField(stream->response, name, name_size, value, value_size);
  return 0;
}

int Http2Session::State::OnBody(nghttp2_session* /*session*/, std::uint8_t /*flags*/,
                                std::int32_t id, const std::uint8_t* bytes, std::size_t size,
                                void* self) {
  State& state = *static_cast<State*>(self);
  Stream* stream = state.Find(id);
  if (stream == nullptr) return 0;
  std::string& body = stream->response.body;
  if (size > state.limits.max_body_bytes - body.size()) {
    state.End(id, *stream, StreamBroken{TooLarge("body")});
    state.SubmitReset(id);
    return 0;
  }
  body.append(reinterpret_cast<const char*>(bytes), size);
  return 0;
}

int Http2Session::State::OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
  State& state = *static_cast<State*>(self);
  const auto& head = frame->hd;
  if (head.type != NGHTTP2_HEADERS && head.type != NGHTTP2_DATA) return 0;
  Stream* stream = state.Find(head.stream_id);
  if (stream == nullptr) return 0;
  if (head.type == NGHTTP2_HEADERS && stream->response.status >= 200) stream->has_head = true;
  if ((head.flags & NGHTTP2_FLAG_END_STREAM) == 0 || !stream->has_head) return 0;
  state.End(head.stream_id, *stream, std::move(stream->response));
  // An answer before it has read everything: the rest is of no use.
  if (nghttp2_session_get_stream_local_close(session, head.stream_id) == 0) {
    state.SubmitReset(head.stream_id);
  }
  return 0;
}

int Http2Session::State::OnClose(nghttp2_session* /*session*/, std::int32_t id, std::uint32_t code,
                                 void* self) {
  State& state = *static_cast<State*>(self);
  if (Stream* stream = state.Find(id); stream != nullptr) {
    // Also what a GOAWAY says of streams above the last one that the server has looked at. A server
    // that has answered something cannot have done nothing.
    if (code == NGHTTP2_REFUSED_STREAM && !stream->has_arrived) {
      state.End(id, *stream, StreamRefused{ResetBy(code)});
    } else {
      state.End(id, *stream, StreamBroken{ResetBy(code)});
    }
  }
  state.streams.erase(id);
  return 0;
}

int Http2Session::State::OnNotSent(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                                   int code, void* self) {
  State& state = *static_cast<State*>(self);
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  const StreamId id = frame->hd.stream_id;
  if (Stream* stream = state.Find(id); stream != nullptr) {
    state.End(id, *stream, StreamRefused{Error(ErrorKind::kUnavailable, nghttp2_strerror(code))});
  }
  state.streams.erase(id);
  return 0;
}

int Http2Session::State::OnSent(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                                void* self) {
  // The library says goodbye by itself only where the server has broken the protocol.
  if (frame->hd.type == NGHTTP2_GOAWAY) static_cast<State*>(self)->is_over = true;
  return 0;
}

ssize_t Http2Session::State::ReadBody(nghttp2_session* /*session*/, std::int32_t id,
                                      std::uint8_t* room, std::size_t size, std::uint32_t* flags,
                                      nghttp2_data_source* /*source*/, void* self) {
  Stream* stream = static_cast<State*>(self)->Find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // a reset is on its way
  const std::size_t n = std::min(size, stream->body.size());
  std::copy_n(stream->body.data(), n, room);
  stream->body.remove_prefix(n);
  if (stream->body.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(n);
}

Http2Session::Http2Session(const Limits& limits) : state_(std::make_unique<State>()) {
  state_->limits = limits;
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  GS_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, State::OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, State::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, State::OnBody);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, State::OnFrame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, State::OnClose);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, State::OnNotSent);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, State::OnSent);
  nghttp2_option_set_peer_max_concurrent_streams(option, kStreamsAtFirst);
  nghttp2_option_set_no_closed_streams(option, 1);
  GS_CHECK(nghttp2_session_client_new2(&state_->session, callbacks, state_.get(), option) == 0);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  SetUp(state_->session, limits);
}

Http2Session::~Http2Session() { nghttp2_session_del(state_->session); }

Result<StreamId> Http2Session::Submit(const Request& request, const std::string& authority) {
  const std::string length = std::to_string(request.body.size());
  auto fields = FieldsOf(request, authority, length);
  if (!fields) return std::move(fields).error();
  nghttp2_data_provider body{.source = {}, .read_callback = State::ReadBody};
  const StreamId id =
      nghttp2_submit_request(state_->session, nullptr, fields->data(), fields->size(),
                             request.body.empty() ? nullptr : &body, nullptr);
  if (id < 0) return Error(ErrorKind::kUnavailable, nghttp2_strerror(id));
  state_->streams[id].body = request.body;
  return id;
}

void Http2Session::Reset(StreamId stream) {
  Stream* found = state_->Find(stream);
  if (found == nullptr) return;
  *found = {.has_ended = true};
  state_->SubmitReset(stream);
}

Result<void> Http2Session::Receive(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ssize_t used = nghttp2_session_mem_recv(state_->session, data, bytes.size());
  if (used < 0) return Malformed(static_cast<int>(used));
  return {};
}

Result<void> Http2Session::Collect(std::string& out, std::size_t most) {
  while (out.size() < most) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t n = nghttp2_session_mem_send(state_->session, &bytes);
    if (n < 0) return Malformed(static_cast<int>(n));
    if (n == 0) break;
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(n));
  }
  if (state_->is_over) return Malformed(NGHTTP2_ERR_PROTO);
  return {};
}

std::vector<StreamEnd> Http2Session::TakeEnds() { return std::exchange(state_->ends, {}); }

bool Http2Session::has_room() const {
  return state_->streams.size() < nghttp2_session_get_remote_settings(
                                      state_->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

bool Http2Session::takes_more() const {
  return nghttp2_session_check_request_allowed(state_->session) != 0;
}

bool Http2Session::has_arrived(StreamId stream) const {
  const auto found = state_->streams.find(stream);
  return found != state_->streams.end() && found->second.has_arrived;
}

}  // namespace gs::http
