#include "adapters/http/test_http2_peer.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"

namespace gs::http {

struct Http2Peer::State {
  nghttp2_session* session = nullptr;
  std::map<StreamId, SeenRequest> arriving;
  std::deque<SeenRequest> seen;
  std::map<StreamId, std::string> answers;  // what is left to send of each
  std::vector<std::pair<StreamId, std::uint32_t>> resets;
  int pongs = 0;
};

namespace {

std::string Text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

nghttp2_nv Field(const std::string& name, const std::string& value) {
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));  // NOLINT: only read
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

Http2Peer::Http2Peer(std::uint32_t max_streams) : state_(std::make_unique<State>()) {
  nghttp2_session_callbacks* callbacks = nullptr;
  GS_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* self) {
        SeenRequest& request = static_cast<State*>(self)->arriving[frame->hd.stream_id];
        request.stream = frame->hd.stream_id;
        const std::string key = Text(name, name_size);
        const std::string text = Text(value, value_size);
        if (key == ":method") {
          request.method = text;
        } else if (key == ":path") {
          request.path = text;
        } else if (key == ":authority") {
          request.authority = text;
        } else {
          request.headers.Add(key, text);
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                    std::size_t size, void* self) {
        static_cast<State*>(self)->arriving[id].body += Text(bytes, size);
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        State& state = *static_cast<State*>(self);
        const auto& head = frame->hd;
        if (head.type == NGHTTP2_RST_STREAM) {
          state.resets.emplace_back(head.stream_id, frame->rst_stream.error_code);
        }
        if (head.type == NGHTTP2_PING && (head.flags & NGHTTP2_FLAG_ACK) != 0) ++state.pongs;
        const bool is_part = head.type == NGHTTP2_HEADERS || head.type == NGHTTP2_DATA;
        if (!is_part || (head.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
        state.seen.push_back(std::move(state.arriving[head.stream_id]));
        state.arriving.erase(head.stream_id);
        return 0;
      });
  GS_CHECK(nghttp2_session_server_new(&state_->session, callbacks, state_.get()) == 0);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry limit{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max_streams};
  nghttp2_submit_settings(state_->session, NGHTTP2_FLAG_NONE, &limit, max_streams == 0 ? 0 : 1);
}

Http2Peer::~Http2Peer() { nghttp2_session_del(state_->session); }

bool Http2Peer::Receive(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return nghttp2_session_mem_recv(state_->session, data, bytes.size()) >= 0;
}

std::string Http2Peer::Collect() {
  std::string out;
  const std::uint8_t* bytes = nullptr;
  for (ssize_t n = 1; n > 0;) {
    n = nghttp2_session_mem_send(state_->session, &bytes);
    if (n > 0) out += Text(bytes, static_cast<std::size_t>(n));
  }
  return out;
}

std::optional<SeenRequest> Http2Peer::Next() {
  if (state_->seen.empty()) return std::nullopt;
  SeenRequest next = std::move(state_->seen.front());
  state_->seen.pop_front();
  return next;
}

const std::vector<std::pair<StreamId, std::uint32_t>>& Http2Peer::resets() const {
  return state_->resets;
}

void Http2Peer::Answer(StreamId stream, int status, std::string body, const Headers& headers) {
  const std::string number = std::to_string(status);
  const std::string name = ":status";
  std::vector<nghttp2_nv> fields{Field(name, number)};
  for (const auto& [key, value] : headers.entries()) fields.push_back(Field(key, value));
  state_->answers[stream] = std::move(body);
  nghttp2_data_provider source{};
  source.read_callback = [](nghttp2_session*, std::int32_t id, std::uint8_t* room, std::size_t size,
                            std::uint32_t* flags, nghttp2_data_source*, void* self) {
    std::string& left = static_cast<State*>(self)->answers[id];
    const std::size_t n = std::min(size, left.size());
    std::copy_n(left.data(), n, room);
    left.erase(0, n);
    if (left.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(n);
  };
  nghttp2_submit_response(state_->session, stream, fields.data(), fields.size(), &source);
}

void Http2Peer::SendHead(StreamId stream, int status, const Headers& headers) {
  const std::string number = std::to_string(status);
  const std::string name = ":status";
  std::vector<nghttp2_nv> fields{Field(name, number)};
  for (const auto& [key, value] : headers.entries()) fields.push_back(Field(key, value));
  nghttp2_submit_headers(state_->session, NGHTTP2_FLAG_NONE, stream, nullptr, fields.data(),
                         fields.size(), nullptr);
}

void Http2Peer::Reset(StreamId stream, std::uint32_t code) {
  nghttp2_submit_rst_stream(state_->session, NGHTTP2_FLAG_NONE, stream, code);
}

void Http2Peer::GoAway(StreamId last, std::uint32_t code) {
  nghttp2_submit_goaway(state_->session, NGHTTP2_FLAG_NONE, last, code, nullptr, 0);
}

int Http2Peer::pongs() const { return state_->pongs; }

void Http2Peer::Ping() { nghttp2_submit_ping(state_->session, NGHTTP2_FLAG_NONE, nullptr); }

}  // namespace gs::http
