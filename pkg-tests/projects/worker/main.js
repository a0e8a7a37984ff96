const worker = new Worker(new URL("./run.js", import.meta.url), { type: "module" });
const result = document.getElementById("result");
worker.onmessage = ({ data }) => (result.textContent = data);
worker.onerror = (event) => (result.textContent = `failed: ${event.message}`);
