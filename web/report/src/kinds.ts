// Kinds of tensors and of operators, each with its colour: wherever they are drawn, they look the
// same. Colours are numbers of style.css (--c0 …).
import type {GraphNode, GraphTensor, NetworkGraph} from "./types";

export interface Kind {
  key: string;
  label: string;
  colour: number;
}

export const TENSORS: Kind[] = [
  {key: "weight", label: "weights", colour: 4},
  {key: "input", label: "inputs of the network", colour: 1},
  {key: "activation", label: "activations", colour: 2},
  {key: "output", label: "outputs of the network", colour: 5},
  {key: "tensor", label: "tensors", colour: 2},
  {key: "workspace", label: "workspace of a tiling", colour: 7},
];

// As the workspaces that hold their tiles.
export const FUSED: Kind = {key: "fused", label: "fused steps", colour: 7};

// Of another palette than tensors (--c8 …), for they stand beside them.
export const OPERATORS: (Kind & {ops: string[]})[] = [
  {key: "conv", label: "convolutions", colour: 8, ops: ["conv", "conv_transpose"]},
  {key: "product", label: "matrix products", colour: 9, ops: ["gemm", "matmul", "einsum"]},
  {key: "recurrent", label: "recurrent layers", colour: 10, ops: ["lstm", "gru", "rnn"]},
  {key: "elementwise", label: "elementwise", colour: 11, ops: ["elementwise"]},
  {key: "norm", label: "norms and softmax", colour: 12, ops: ["norm", "softmax"]},
  {key: "reduce", label: "pools and reductions", colour: 13, ops: ["pool", "reduce", "sort"]},
  {
    key: "move",
    label: "moving data",
    colour: 14,
    ops: ["concat", "split", "slice", "gather", "resize", "transpose", "pad", "expand", "scatter", "view"],
  },
  {key: "other", label: "other operators", colour: 15, ops: []},
];

export const operatorOf = (op: string): Kind =>
  OPERATORS.find((kind) => kind.ops.includes(op)) ?? OPERATORS.at(-1)!;
export const tensorKind = (key: string): Kind => TENSORS.find((kind) => kind.key === key)!;

// A network's nodes and tensors by their names.
export interface GraphIndex {
  node: Map<string, GraphNode>;
  tensor: Map<string, GraphTensor>;
  producer: Map<string, number>; // of a tensor: the place of its node
}
export function indexOf(graph: NetworkGraph | undefined): GraphIndex {
  const producer = new Map<string, number>();
  graph?.nodes.forEach((node, i) => node.outputs.forEach((name) => producer.set(name, i)));
  return {
    node: new Map(graph?.nodes.map((node) => [node.name, node])),
    tensor: new Map(graph?.tensors.map((tensor) => [tensor.name, tensor])),
    producer,
  };
}
