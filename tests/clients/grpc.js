// @grpc/grpc-js against a running daemon: node grpc.js URL MODEL.onnx PROTO. Every check prints `ok - what` or `not ok - what`.
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import { readFileSync } from "node:fs";

const [url, path, proto] = process.argv.slice(2);
const model = readFileSync(path);
const loaded = grpc.loadPackageDefinition(loader.loadSync(["shaped.proto", "health.proto"], { includeDirs: [proto], keepCase: true }));
const target = new URL(url).host;

function check(what, condition, detail) {
  console.log((condition ? "ok - " : "not ok - ") + what);
  if (!condition && detail !== undefined) console.log("#  " + String(detail).slice(0, 1000));
}

// An answer or an error.
function ask(client, method, request, options = {}) {
  return new Promise((done) => client[method](request, options, (error, answer) => done(error ?? answer)));
}

function inParts(client) {
  return new Promise((done) => {
    const call = client.InferModelStream((error, answer) => done(error ?? answer));
    for (let at = 0; at < model.length; at += 10000) call.write({ model: model.subarray(at, at + 10000) });
    call.end();
  });
}

for (const [how, algorithm] of [["plain", grpc.compressionAlgorithms.identity], ["gzip", grpc.compressionAlgorithms.gzip]]) {
  const what = "grpc-js " + how;
  const options = { "grpc.default_compression_algorithm": algorithm, "grpc.max_receive_message_length": -1, "grpc.use_local_subchannel_pool": 1 };
  const client = new loaded.shaped.v1.ShapeInference(target, grpc.credentials.createInsecure(), options);
  const health = new loaded.grpc.health.v1.Health(target, grpc.credentials.createInsecure(), options);

  const answer = await ask(client, "InferModel", { model });
  check(what + ": a model", answer.values?.length > 175, answer);
  const all = await Promise.all(Array.from({ length: 100 }, () => ask(client, "InferModel", { model })));
  check(what + ": a hundred at once", all.every((a) => a.values?.length === answer.values.length), all.find((a) => !a.values));
  check(what + ": a model in parts", (await inParts(client)).values?.length === answer.values.length);
  const node = { op_type: "Relu", input: ["x"], output: ["y"] };
  const failed = await ask(client, "InferNode", { node });
  check(what + ": an error with its details", failed.code === grpc.status.OUT_OF_RANGE && failed.details && failed.metadata.get("grpc-status-details-bin").length, failed);
  const tensor = { elem_type: 1, shape: { dim: [{ dim_param: "N" }] } };
  const good = await ask(client, "InferNode", { node, inputs: [{ name: "x", type: { tensor_type: tensor } }] });
  check(what + ": a node", good.values?.at(-1).type.tensor_type.shape.dim[0].dim_param === "N", good);
  const batch = await ask(client, "BatchInferNodes", { requests: [{ node }, { node }] });
  check(what + ": nodes", batch.results?.length === 2, batch);
  check(what + ": the operators", (await ask(client, "ListOperators", { page_size: 10 })).operators?.length === 10);
  check(what + ": no such operator", (await ask(client, "GetOperator", { name: "Nöne" })).details?.includes("Nöne"));
  check(what + ": health", (await ask(health, "Check", {})).status === "SERVING" || (await ask(health, "Check", {})).status === 1);
  const late = await ask(client, "InferModel", { model }, { deadline: Date.now() - 1 });
  check(what + ": a deadline", late.code === grpc.status.DEADLINE_EXCEEDED, late);
  client.close();
  health.close();
}
