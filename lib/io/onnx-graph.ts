/** ONNX's messages: a graph of operators with its constants, and the model around it. https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
import { littleEndian, Message } from './protobuf.js';

/** The version of the messages and of the operators: of 2020, so that old runtimes read them; newer ones read all before them. */
const IR_VERSION = 7;
const OPSET = 13;

/** The numbers of element types in TensorProto.DataType. */
const TYPES = { int64: 7, string: 8, bool: 9, double: 11 };
export type ElementType = keyof typeof TYPES;

/** Lengths by axis; one that is a string may differ from call to call. */
export type Shape = readonly (number | string)[];
export type Values = Float64Array | BigInt64Array | readonly string[] | readonly boolean[];
type Attribute = number | readonly number[] | Graph;

/** A graph that is built by naming what each operator puts out. */
export class Graph {
  readonly #message = new Message();
  readonly #shared = new Set<string>();

  constructor(name: string) {
    this.#message.string(2, name);
  }

  get message(): Message {
    return this.#message;
  }

  /** Adds an operator with one output, whose name is returned. */
  node(operator: string, inputs: readonly string[], output: string, attributes: Readonly<Record<string, Attribute>> = {}): string {
    const node = new Message();
    for (const input of inputs) node.string(1, input);
    node.string(2, output).string(3, output).string(4, operator);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attributeOf(name, value));
    this.#message.message(1, node);
    return output;
  }

  /** Adds a constant and returns its name. The memory of numbers is referred to, not copied. */
  constant(name: string, shape: readonly number[], values: Values): string {
    const tensor = new Message();
    for (const length of shape) tensor.int(1, length);
    tensor.int(2, TYPES[typeOf(values)]).string(8, name);
    if (!Array.isArray(values)) tensor.bytes(9, [littleEndian(values as Float64Array | BigInt64Array)]);
    else if (typeof values[0] === 'string') for (const text of values as readonly string[]) tensor.string(6, text);
    else tensor.bytes(9, [Uint8Array.from(values as readonly boolean[], Number)]);
    this.#message.message(5, tensor);
    return name;
  }

  /** A number. Like the next two, it may be asked for several times, and is added once. */
  number(name: string, value: number): string {
    return this.#once(name, [], Float64Array.of(value));
  }

  list(name: string, values: Float64Array | BigInt64Array): string {
    return this.#once(name, [values.length], values);
  }

  /** The number of an axis, as a list of one. */
  axis(axis: number): string {
    return this.list(`axis_${axis}`, BigInt64Array.of(BigInt(axis)));
  }

  #once(name: string, shape: readonly number[], values: Values): string {
    if (this.#shared.has(name)) return name;
    this.#shared.add(name);
    return this.constant(name, shape, values);
  }

  input(name: string, type: ElementType, shape: Shape, about?: string): string {
    this.#message.message(11, valueInfo(name, type, shape, about));
    return name;
  }

  output(name: string, type: ElementType, shape: Shape, about?: string): void {
    this.#message.message(12, valueInfo(name, type, shape, about));
  }
}

export function typeOf(values: Values): ElementType {
  if (values instanceof Float64Array) return 'double';
  if (values instanceof BigInt64Array) return 'int64';
  return typeof values[0] === 'string' ? 'string' : 'bool';
}

function attributeOf(name: string, value: Attribute): Message {
  const attribute = new Message().string(1, name);
  if (value instanceof Graph) return attribute.message(6, value.message).int(20, 5);
  if (typeof value === 'number') return attribute.int(3, value).int(20, 2);
  for (const number of value) attribute.int(8, number);
  return attribute.int(20, 7);
}

function valueInfo(name: string, type: ElementType, shape: Shape, about: string | undefined): Message {
  const lengths = new Message();
  for (const length of shape) {
    lengths.message(1, typeof length === 'number' ? new Message().int(1, length) : new Message().string(2, length));
  }
  const tensor = new Message().int(1, TYPES[type]).message(2, lengths);
  const info = new Message().string(1, name).message(2, new Message().message(1, tensor));
  return about === undefined ? info : info.string(3, about);
}

/** The number of an element type, as the operator Cast takes it. */
export function castTo(type: ElementType): { readonly to: number } {
  return { to: TYPES[type] };
}

export interface Header {
  readonly producer: { readonly name: string; readonly version: string };
  readonly about: string;
  /** Texts by key, in pieces of UTF-8. */
  readonly metadata: Readonly<Record<string, readonly Uint8Array[]>>;
}

/** The message of a file. */
export function modelMessage(graph: Graph, { producer, about, metadata }: Header): Message {
  const model = new Message().int(1, IR_VERSION).string(2, producer.name).string(3, producer.version).string(6, about);
  model.message(8, new Message().string(1, '').int(2, OPSET));
  for (const [key, value] of Object.entries(metadata)) model.message(14, new Message().string(1, key).bytes(2, value));
  return model.message(7, graph.message);
}
