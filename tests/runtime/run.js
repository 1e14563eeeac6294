// Runs models with ONNX Runtime. Each line of standard input is a run, {"model": FILE, "feeds": {NAME: {type, dims, data}}};
// each line of standard output is what became of it, {"shapes": {NAME: [...]}, "types": {NAME: "float32"}} or {"error": "..."}.
const ort = require("onnxruntime-node");

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array,
  float16: Uint16Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array,
};
const OPTIONS = { graphOptimizationLevel: "disabled", logSeverityLevel: 4 };

function tensor({ type, dims, data }) {
  const count = dims.reduce((a, b) => a * b, 1);
  if (type === "string") {
    return new ort.Tensor(type, Array.from({ length: count }, (_, i) => String(data[i % data.length])), dims);
  }
  const values = new ARRAYS[type](count);
  for (let i = 0; i < count && data.length > 0; i++) {
    const value = data[i % data.length];
    values[i] = type.endsWith("int64") ? BigInt(value) : value;
  }
  return new ort.Tensor(type, values, dims);
}

function described(made) {
  const outcome = { shapes: {}, types: {} };
  for (const [name, value] of Object.entries(made)) {
    outcome.shapes[name] = value.dims;
    outcome.types[name] = value.type;
  }
  return outcome;
}

async function main() {
  let loaded = {}; // the last model alone: there may be thousands
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    const run = JSON.parse(line);
    let outcome;
    try {
      if (loaded.model !== run.model) {
        loaded = { model: run.model, session: await ort.InferenceSession.create(run.model, OPTIONS) };
      }
      const feeds = Object.fromEntries(Object.entries(run.feeds).map(([name, given]) => [name, tensor(given)]));
      outcome = described(await loaded.session.run(feeds));
    } catch (fault) {
      outcome = { error: String(fault.message || fault) };
    }
    console.log(JSON.stringify(outcome));
  }
}

main();
