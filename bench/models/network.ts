/** A file of ONNX with a network of layers, made without its libraries. Fields are numbered as in `onnx.proto`. */

const float = 1;
const opset = 17;
const irVersion = 9;

function varint(value: number): Buffer {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

const number = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8), varint(value)]);

function bytes(field: number, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
}

/** Rows of `[batch, width]`, or what comes of them. */
function rowsOf(name: string, width: number): Buffer[] {
  const shape = bytes(2, bytes(1, bytes(2, 'batch')), bytes(1, number(1, width)));
  return [bytes(1, name), bytes(2, bytes(1, number(1, float), shape))];
}

function weights(name: string, dims: readonly number[], seed: number): Buffer {
  const count = dims.reduce((product, size) => product * size, 1);
  const values = Float32Array.from({ length: count }, (_, i) => Math.sin(seed + i) / Math.sqrt(dims[0] ?? 1));
  return bytes(
    5,
    ...dims.map((size) => number(1, size)),
    number(2, float),
    bytes(8, name),
    bytes(9, Buffer.from(values.buffer)),
  );
}

/**
 * A network that multiplies rows by one matrix of weights after the other, with a sigmoid between.
 * @param widths of a row, and of what each layer makes of it
 * @param seed another one makes another model
 */
export function network(widths: readonly number[], seed: number): Buffer {
  const graph: Buffer[] = [];
  let [last = 1] = widths;
  let value = 'x';
  for (const [layer, width] of widths.slice(1).entries()) {
    graph.push(weights(`w${layer}`, [last, width], seed + layer));
    graph.push(bytes(1, bytes(1, value), bytes(1, `w${layer}`), bytes(2, `m${layer}`), bytes(4, 'MatMul')));
    value = layer === widths.length - 2 ? 'y' : `s${layer}`;
    graph.push(bytes(1, bytes(1, `m${layer}`), bytes(2, value), bytes(4, 'Sigmoid')));
    last = width;
  }
  graph.push(bytes(2, 'network'), bytes(11, ...rowsOf('x', widths[0] ?? 1)), bytes(12, ...rowsOf('y', last)));
  return Buffer.concat([number(1, irVersion), bytes(7, ...graph), bytes(8, bytes(1, ''), number(2, opset))]);
}
