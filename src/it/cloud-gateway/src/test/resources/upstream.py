"""The upstream in Python, with the answers of Upstream.java."""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

asked = []  # one element a request: append is atomic


class Upstream(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def answer(self):
        asked.append(self.path)
        self.rfile.read(int(self.headers.get('Content-Length', 0)))
        body = f'upstream {self.path}'.encode()
        self.send_response(int(self.path[12:]) if self.path.startswith('/api/orders/') else 200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer


server = ThreadingHTTPServer(('127.0.0.1', 0), Upstream)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print('=', server.server_port, flush=True)
for line in sys.stdin:
    if line.strip() != 'count':
        break
    print('=', len(asked), flush=True)
