using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(
    name = "main",
    worker = (
      modules = [
        (name = "main.js", esModule = embed "out/main.js"),
        (name = "./stepglass-fast.wasm", wasm = embed "out/stepglass-fast.wasm"),
      ],
      compatibilityDate = "2025-11-01",
    ),
  )],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
