// A URL for several workers: `node balancer.mjs PORT WORKER_URL…`. It gives out requests in turn, not connections: Restate keeps a connection
// for each of its partitions, which carries many slices. When it is ended it tells how many connections there were.
import { connect, constants, createServer } from "node:http2";

const [port, ...urls] = process.argv.slice(2);
const sessions = urls.map((url) => connect(url));
const { HTTP2_HEADER_AUTHORITY, HTTP2_HEADER_CONNECTION } = constants;
let connections = 0;
let next = 0;

const server = createServer();
server.on("session", () => (connections += 1));
server.on("stream", (stream, headers) => {
  const turn = next++ % sessions.length;
  const { [HTTP2_HEADER_AUTHORITY]: _authority, [HTTP2_HEADER_CONNECTION]: _connection, ...passed } = headers;
  const request = sessions[turn].request(passed, { endStream: false });
  request.on("response", (answer) => {
    if (!stream.destroyed) stream.respond(answer);
  });
  stream.pipe(request).pipe(stream);
  for (const [one, other] of [
    [stream, request],
    [request, stream],
  ]) {
    one.on("error", () => other.destroy());
    one.on("aborted", () => other.close(constants.NGHTTP2_CANCEL));
  }
});
process.once("SIGTERM", () => process.stdout.write(`${connections}\n`, () => process.exit()));
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
