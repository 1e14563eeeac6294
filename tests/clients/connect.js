// Connect-ES against a running daemon: node connect.js URL MODEL.onnx. Every check prints `ok - what` or `not ok - what`.
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { compressionGzip, createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { create, toBinary } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { DiagnosticSchema, Kind, Severity, ShapeInference, ValueSelection } from "./shaped_pb.js";
import { Health, HealthCheckResponse_ServingStatus } from "./health_pb.js";
import { BadRequestSchema, ErrorInfoSchema } from "./google/rpc/error_details_pb.js";
import { ModelProtoSchema } from "./onnx_pb.js";

const [url, path] = process.argv.slice(2);
const model = readFileSync(path);

function check(what, condition, detail) {
  console.log((condition ? "ok - " : "not ok - ") + what);
  if (!condition && detail !== undefined) console.log("#  " + String(detail).slice(0, 1000));
}

// A model of one node, with weights of so many bytes.
function largeModel(bytes) {
  const dims = [BigInt(bytes / 4)];
  const type = { value: { case: "tensorType", value: { elemType: 1, shape: { dim: dims.map((d) => ({ value: { case: "dimValue", value: d } })) } } } };
  return toBinary(ModelProtoSchema, create(ModelProtoSchema, {
    irVersion: 8n,
    opsetImport: [{ domain: "", version: 17n }],
    graph: {
      name: "g",
      node: [{ opType: "Add", input: ["x", "w"], output: ["y"] }],
      initializer: [{ name: "w", dataType: 1, dims, rawData: new Uint8Array(bytes) }],
      input: [{ name: "x", type }],
      output: [{ name: "y" }],
    },
  }));
}

const faulty = toBinary(ModelProtoSchema, create(ModelProtoSchema, {
  irVersion: 8n,
  opsetImport: [{ domain: "", version: 17n }],
  graph: { name: "g", input: [{ name: "x", type: { value: { case: "tensorType", value: { elemType: 1 } } } }],
    node: [{ opType: "Concat", name: "odd", input: ["x"], output: ["y"] }], output: [{ name: "y" }] },
}));

// Many nodes, so that a deadline comes before the answer.
const long = toBinary(ModelProtoSchema, create(ModelProtoSchema, {
  irVersion: 8n,
  opsetImport: [{ domain: "", version: 17n }],
  graph: {
    name: "g",
    node: Array.from({ length: 200000 }, (_, i) => ({ opType: "Relu", input: ["x" + i], output: ["x" + (i + 1)] })),
    input: [{ name: "x0", type: { value: { case: "tensorType", value: { elemType: 1 } } } }],
  },
}));

function dimension(size) {
  return { value: typeof size === "string" ? { case: "dimParam", value: size } : { case: "dimValue", value: BigInt(size) } };
}

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return ConnectError.from(error);
  }
  return undefined;
}

async function run(what, transport) {
  const client = createClient(ShapeInference, transport);
  const answer = await client.inferModel({ model, options: { dims: [{ name: "N", value: 2n }] } });
  const first = answer.values[0].type.value.value.shape.dim[0].value;
  check(what + ": a model", answer.model.nodes === 175n && answer.values.length > 175 && answer.values[0].kind === Kind.INPUT, answer.model);
  check(what + ": with a number for a symbol", first.case === "dimValue" && first.value === 2n, first);
  const outputs = await client.inferModel({ model, options: { values: ValueSelection.OUTPUTS } });
  check(what + ": its outputs alone", outputs.values.every((v) => v.kind === Kind.OUTPUT), outputs.values.length);

  const node = { opType: "MatMul", input: ["a", "b"], output: ["y"] };
  const matrix = (name, ...sizes) => ({ name, type: { value: { case: "tensorType", value: { elemType: 1, shape: { dim: sizes.map(dimension) } } } } });
  const product = await client.inferNode({ node, inputs: [matrix("a", "N", 3), matrix("b", 3, 5)] });
  const sizes = product.values.at(-1).type.value.value.shape.dim.map((d) => d.value.value);
  check(what + ": a node", sizes.length === 2 && sizes[0] === "N" && sizes[1] === 5n, sizes);
  const batch = await client.batchInferNodes({ requests: [
    { node, inputs: [matrix("a", 2, 3), matrix("b", 3, 5)] }, { node, inputs: [matrix("a", 2, 3), matrix("b", 4, 5)] }] });
  check(what + ": nodes, each with a result or an error", batch.results[0].response !== undefined && batch.results[1].error?.code === Code.InvalidArgument &&
    batch.results[1].diagnostics[0]?.reason === "DIM_MISMATCH",
    batch.results.length);

  let token = "", seen = 0;
  do {
    const page = await client.listOperators({ pageSize: 250, pageToken: token });
    seen += page.operators.length;
    token = page.nextPageToken;
  } while (token);
  check(what + ": the operators, page by page", seen > 200, seen);
  const conv = await client.getOperator({ name: "Conv", opset: 11n });
  check(what + ": one operator", conv.since === 11n && conv.inputs.length === 3, conv.since);
  const health = await createClient(Health, transport).check({ service: "shaped.v1.ShapeInference" });
  check(what + ": health", health.status === HealthCheckResponse_ServingStatus.SERVING, health.status);

  const notFound = await failure(client.getOperator({ name: "Nöne" }));
  check(what + ": an error's code and message", notFound?.code === Code.NotFound && notFound.rawMessage.includes("Nöne"), notFound);
  const strict = await failure(client.inferModel({ model: faulty, options: { strict: true } }));
  const [diagnostic] = strict?.findDetails(DiagnosticSchema) ?? [];
  const [info] = strict?.findDetails(ErrorInfoSchema) ?? [];
  check(what + ": an error's details", strict?.code === Code.InvalidArgument && diagnostic?.node === "odd" && diagnostic.severity === Severity.ERROR &&
    info?.reason === "MISSING_ATTRIBUTE" && info.domain === "shaped", strict);
  const binding = await failure(client.inferModel({ model, options: { dims: [{ name: "N", value: -1n }] } }));
  const [bad] = binding?.findDetails(BadRequestSchema) ?? [];
  check(what + ": the field at fault", bad?.fieldViolations[0]?.field === "options.dims[0].value", binding);
  const late = await failure(client.inferModel({ model: long }, { timeoutMs: 20 }));
  check(what + ": a deadline", late?.code === Code.DeadlineExceeded, late);
  const aborted = new AbortController();
  setTimeout(() => aborted.abort(), 20);
  check(what + ": a call that is canceled", (await failure(client.inferModel({ model: long }, { signal: aborted.signal })))?.code === Code.Canceled);
}

// base64 in JSON takes the client itself long.
async function runLarge(what, transport, mebibytes) {
  const answer = await createClient(ShapeInference, transport).inferModel({ model: largeModel(mebibytes << 20) });
  check(`${what}: a model of ${mebibytes} MiB`, answer.values.length === 2 && answer.model.bytesSkipped >= BigInt(mebibytes << 20), answer.model);
}

const gzip = { sendCompression: compressionGzip, acceptCompression: [compressionGzip], compressMinBytes: 64 };
const plain = { acceptCompression: [] };

// What is for gRPC alone.
async function runStreams(what, transport) {
  async function* parts() {
    yield { options: { dims: [{ name: "N", value: 2n }] } };
    for (let at = 0; at < model.length; at += 10000) yield { model: model.subarray(at, at + 10000) };
  }
  const answer = await createClient(ShapeInference, transport).inferModelStream(parts());
  check(what + ": a model in parts", answer.model.nodes === 175n && answer.values[0].type.value.value.shape.dim[0].value.value === 2n, answer.model);
  const watching = new AbortController();
  for await (const state of createClient(Health, transport).watch({}, { signal: watching.signal })) {
    check(what + ": health that is watched", state.status === HealthCheckResponse_ServingStatus.SERVING, state.status);
    break;
  }
  watching.abort();
}

// Node itself refuses streams of a connection of which more than 10 MB wait, as they do for a moment after a call is canceled.
const nodeOptions = { maxSessionMemory: 1000 };
const protocols = [["Connect", createConnectTransport, "1.1"], ["gRPC-Web", createGrpcWebTransport, "1.1"], ["gRPC", createGrpcTransport, "2"],
  ["Connect over HTTP/2", createConnectTransport, "2"], ["gRPC-Web over HTTP/2", createGrpcWebTransport, "2"]];
for (const [name, make, httpVersion] of protocols) {
  for (const useBinaryFormat of [true, false]) {
    for (const [how, compression] of [["plain", plain], ["gzip", gzip]]) {
      const transport = make({ baseUrl: url, httpVersion, useBinaryFormat, ...(httpVersion === "2" ? { nodeOptions } : {}), ...compression });
      const what = `${name} ${useBinaryFormat ? "proto" : "JSON"} ${how}`;
      await run(what, transport);
      await runLarge(what, transport, useBinaryFormat ? 64 : 4);
      if (make === createGrpcTransport && useBinaryFormat) await runStreams(what, transport);
    }
  }
}
const get = createConnectTransport({ baseUrl: url, httpVersion: "1.1", useHttpGet: true });
const conv = await createClient(ShapeInference, get).getOperator({ name: "Conv" });
check("Connect by GET", conv.name === "Conv");
process.exit(0);
