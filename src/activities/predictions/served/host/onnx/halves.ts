import { TactusError } from '../../../../../contract/errors.js';

interface HalvesConstructor {
  new (buffer: ArrayBufferLike, offset: number, length: number): ArrayLike<number>;
  from(values: readonly number[]): { buffer: ArrayBufferLike };
}

/**
 * Numbers of 16 bits. The runtime's binding doesn't know the platform's arrays of them, and fails with one; where the
 * platform has none it takes and gives their bits. So they are hidden from it, before it is loaded.
 */
const Halves = (globalThis as { Float16Array?: HalvesConstructor }).Float16Array;
Reflect.deleteProperty(globalThis, 'Float16Array');

/** @throws TactusError predict_failed on a platform without them */
export function toHalves(values: readonly number[]): Uint16Array {
  return new Uint16Array(known().from(values).buffer);
}

export function fromHalves({ buffer, byteOffset, length }: Uint16Array): ArrayLike<number> {
  return new (known())(buffer, byteOffset, length);
}

function known(): HalvesConstructor {
  if (Halves !== undefined) return Halves;
  throw new TactusError(
    'predict_failed',
    'the model has numbers of the type float16, which take Node 24 or later',
  );
}
