import type { TensorData } from './dtypes.js';

/** What a model gives by one name. */
export interface GottenTensor {
  dtype: string;
  dims: readonly number[];
  data: TensorData;
}

export type Gotten = Map<string, GottenTensor>;

/** One of many, as if it had been asked for alone. */
export function rowOf(gotten: Gotten, row: number): Gotten {
  return new Map(
    [...gotten].map(([name, { dtype, dims, data }]) => {
      const size = dims.slice(1).reduce((product, each) => product * each, 1);
      return [name, { dtype, dims: [1, ...dims.slice(1)], data: partOf(data, row * size, (row + 1) * size) }];
    }),
  );
}

/** Numbers without copying them. */
function partOf(data: TensorData, start: number, end: number): TensorData {
  return ArrayBuffer.isView(data)
    ? (data as unknown as Float32Array).subarray(start, end)
    : (Array.prototype.slice.call(data, start, end) as TensorData);
}
