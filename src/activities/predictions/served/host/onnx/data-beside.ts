import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Weights of large models: `model.onnx.data`, `model.onnx_data`, `model.onnx_data_1`. */
export async function dataBeside(file: string): Promise<string[]> {
  const name = basename(file);
  const names = await readdir(dirname(file));
  return names
    .filter((each) => each.startsWith(`${name}.data`) || each.startsWith(`${name}_data`))
    .map((each) => join(dirname(file), each));
}
