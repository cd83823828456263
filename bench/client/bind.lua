-- Posts Bindings of pods PREFIX-0, PREFIX-1, ... with wrk. Arguments: token, prefix, pods, threads.
local next_thread = 0

function setup(thread)
  thread:set("first", next_thread)
  next_thread = next_thread + 1
end

function init(args)
  token, prefix, pods, threads = args[1], args[2], tonumber(args[3]), tonumber(args[4])
  pod = first
end

function request()
  local name = prefix .. "-" .. pod
  if pod >= pods then name = "none" end
  pod = pod + threads
  local body = '{"apiVersion":"v1","kind":"Binding","metadata":{"name":"' .. name ..
      '"},"target":{"apiVersion":"v1","kind":"Node","name":"bench-0"}}'
  return wrk.format("POST", "/api/v1/namespaces/bench/pods/" .. name .. "/binding",
      { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. token }, body)
end

function done(summary, latency, requests)
  local good = summary.requests - summary.errors.status
  print(string.format("bound %d pods, %d bindings/s", good, good / (summary.duration / 1e6)))
end
