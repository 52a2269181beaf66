import h5wasm, { type Dataset, type File } from 'h5wasm';
import { TactusError } from '../../../../contract/errors.js';

/** Of the types that are copied value by value: integers, floats and texts, as a little-endian machine writes them. */
const copied = /^(<[bhiqBHIQfd]|S)$/;

/**
 * Puts all that is in a file into a new one, but for one dataset, or one group and what is in it: the library can take nothing out
 * of a file. What can't be copied as it is fails here, and nothing is lost.
 * @throws TactusError file_failed naming it
 */
export function carryOver(from: File, to: File, { path, except }: { path: string; except: string }): void {
  const refuse = (what: string): never => {
    throw new TactusError(
      'file_failed',
      `${path} can't be written: ${except} is there with another shape or type, and beside it ${what}, which would be lost; write to another name or file`,
    );
  };
  if (Object.keys(from.attrs).length > 0) refuse('the file has attributes');
  for (const name of from.paths()) {
    if (name === except || name.startsWith(`${except}/`)) continue;
    const entity = from.get(name);
    if (!(entity instanceof h5wasm.Group) && !(entity instanceof h5wasm.Dataset)) refuse(`${name} is a link`);
    const there = entity as Dataset;
    if (Object.keys(there.attrs).length > 0) refuse(`${name} has attributes`);
    if (entity instanceof h5wasm.Group) to.create_group(name);
    else copy(there, to, name, refuse);
  }
}

function copy(dataset: Dataset, to: File, name: string, refuse: (what: string) => never): void {
  const { dtype, shape, metadata } = dataset;
  const isPlain = typeof dtype === 'string' && copied.test(dtype) && (dtype !== 'S' || metadata.vlen);
  if (!isPlain || shape === null) return refuse(`${name} is of a type of its own`);
  const { value } = dataset;
  const data = shape.length === 0 ? [value] : value;
  to.create_dataset({ name, data: data as string[], shape, dtype });
}
