import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { readFileSync } from "node:fs";
import { ShapeInference } from "./shaped_pb.js";

const transport = createConnectTransport({ baseUrl: process.argv[2], httpVersion: "1.1" });
const shapes = createClient(ShapeInference, transport);
const answer = await shapes.inferModel({ model: readFileSync(process.argv[3]), options: { dims: [{ name: "N", value: 8n }] } });

for (const { name, type } of answer.values) {
  const dims = type?.value.value?.shape?.dim.map((dim) => dim.value.value);
  console.log(name, dims ? `[${dims.join(", ")}]` : "?");
}
