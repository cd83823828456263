-- Posts one AdmissionReview again and again with wrk. Argument: the file that holds it.
function init(args)
  local file = assert(io.open(args[1], "rb"))
  wrk.method = "POST"
  wrk.path = "/mutate?timeout=10s"
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = file:read("*a")
  file:close()
end

function done(summary, latency, requests)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write +
      summary.errors.timeout
  print(string.format("%d reviews, %d failed, %.0f reviews/s, p50 %.2f ms, p99 %.2f ms", summary.requests, bad,
      summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
