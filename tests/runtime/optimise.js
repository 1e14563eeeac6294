// Optimises models with ONNX Runtime. Each line of standard input is {"model": FILE, "level": "basic", "to": FILE}; each line
// of standard output says what became of it, {} or {"error": "..."}.
const ort = require("onnxruntime-node");

async function main() {
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    const { model, level, to } = JSON.parse(line);
    const outcome = {};
    try {
      await ort.InferenceSession.create(model, { graphOptimizationLevel: level, optimizedModelFilePath: to, logSeverityLevel: 4 });
    } catch (fault) {
      outcome.error = String(fault.message || fault);
    }
    console.log(JSON.stringify(outcome));
  }
}

main();
