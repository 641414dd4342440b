-- HAProxy asks Bloomguard's server whether a request may pass: an action for `http-request lua.authorise`.
-- It sets txn.denied to true unless the server lets the request through, does not answer, or answers 5xx.
-- A socket, not core.httpclient(), whose time to connect has no setting before HAProxy 2.9.
local host, port = (os.getenv("BLOOMGUARD") or "127.0.0.1:8080"):match("^(.*):(%d+)$")
local seconds = 0.1

local function status(method, path)
  local socket = core.tcp()
  socket:settimeout(seconds)
  if not socket:connect(host, tonumber(port)) then
    return nil
  end
  socket:send(
    "GET /v1/authorise HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      .. "X-Original-URI: " .. path .. "\r\nX-Original-Method: " .. method .. "\r\n\r\n")
  local line = socket:receive("*l")
  socket:close()
  return line and line:match("^HTTP/1%.1 (%d+)")
end

core.register_action("authorise", {"http-req"}, function(txn)
  local path = txn.sf:path()
  if path == nil or path:sub(1, 1) ~= "/" then
    return
  end
  local asked, answer = pcall(status, txn.sf:method(), path)
  txn:set_var("txn.denied", asked and answer ~= nil and answer:match("^[25]") == nil)
end, 0)
