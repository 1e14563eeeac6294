// Runs models with ONNX Runtime. Each line of standard input is a run, {"model": FILE, "feeds": {NAME: {type, dims, data}}};
// each line of standard output is what became of it, {"shapes": {NAME: [...]}} or {"error": "..."}.
const ort = require("onnxruntime-node");

const ARRAYS = { float32: Float32Array, int64: BigInt64Array, bool: Uint8Array };
const OPTIONS = { graphOptimizationLevel: "disabled", logSeverityLevel: 4 };

function tensor({ type, dims, data }) {
  const values = new ARRAYS[type](dims.reduce((a, b) => a * b, 1));
  for (let i = 0; i < values.length && data.length > 0; i++) {
    const value = data[i % data.length];
    values[i] = type === "int64" ? BigInt(value) : value;
  }
  return new ort.Tensor(type, values, dims);
}

async function main() {
  const sessions = new Map();
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    const run = JSON.parse(line);
    let outcome;
    try {
      if (!sessions.has(run.model)) sessions.set(run.model, await ort.InferenceSession.create(run.model, OPTIONS));
      const feeds = Object.fromEntries(Object.entries(run.feeds).map(([name, given]) => [name, tensor(given)]));
      const made = await sessions.get(run.model).run(feeds);
      outcome = { shapes: Object.fromEntries(Object.entries(made).map(([name, value]) => [name, value.dims])) };
    } catch (fault) {
      outcome = { error: String(fault.message || fault) };
    }
    console.log(JSON.stringify(outcome));
  }
}

main();
