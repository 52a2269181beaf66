import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { env, pipeline } from '@huggingface/transformers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { HostedType } from '../../dist/activities/predictions/served/host/model-kind.js';
import type { JsonValue } from '../../dist/contract/json/json.js';
import { benchPython, benchScript } from '../measures/bench-python.ts';
import { network } from './network.ts';

/** A model that is asked here, and by its library alone. */
export interface Subject {
  name: string;
  type: HostedType;
  /** Below the folder of models. */
  path: string;
  /** One input among many. */
  input: (i: number) => JsonValue;
  /** Whether the outputs for 1,000 inputs are more than one activity can give, by hand too. */
  isWide?: true;
  /** The library alone: all inputs in one call, and the outputs as lists. */
  alone: (inputs: readonly JsonValue[]) => Promise<JsonValue[]>;
}

const kept = fileURLToPath(new URL('../../test/fixtures/models/', import.meta.url));
/** Of a row, and of the layers behind it: 4.5 MB of weights, and 68 MB, which needs most of a millisecond for a row. */
const widths = [64, 1024, 1024, 10];
const largeWidths = [64, 4096, 4096, 10];

/** Puts models into a folder. */
export async function makeSubjects(folder: string): Promise<Subject[]> {
  cpSync(join(kept, 'logits.onnx'), join(folder, 'tiny.onnx'));
  writeFileSync(join(folder, 'network.onnx'), network(widths, 1));
  writeFileSync(join(folder, 'large.onnx'), network(largeWidths, 1));
  cpSync(join(kept, 'sentences'), join(folder, 'sentences'), { recursive: true });
  const sentences = makeSentenceModel(folder)
    ? [{ ...(await ofTexts('sentence_transformers, 91 MB', folder, 'minilm')), isWide: true } as const]
    : [];
  return [
    await ofOnnx('onnx, tiny', join(folder, 'tiny.onnx'), 3),
    await ofOnnx('onnx, a network of 4.5 MB', join(folder, 'network.onnx'), widths[0] ?? 0),
    await ofOnnx('onnx, a network of 68 MB', join(folder, 'large.onnx'), largeWidths[0] ?? 0),
    await ofTexts('sentence_transformers, tiny', folder, 'sentences'),
    ...sentences,
  ];
}

/** One of the size of all-MiniLM-L6-v2; not where the set-up has no PyTorch, which makes it. */
function makeSentenceModel(folder: string): boolean {
  const found = benchPython('pytorch');
  if (found === null) {
    console.warn(
      'Without a sentence model of real size: `PYTORCH_TEST=required npm test` fetches what makes one.',
    );
    return false;
  }
  const { python, env: surroundings } = found;
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  execFileSync(python, [benchScript('sentence_model.py'), folder], { env: surroundings, stdio: [...stdio] });
  return true;
}

async function ofOnnx(name: string, file: string, width: number): Promise<Subject> {
  const session = await InferenceSession.create(file);
  return {
    ...{ name, type: 'onnx', path: basename(file) },
    input: (i) => Array.from({ length: width }, (_, j) => ((i * 31 + j * 17) % 1000) / 1000),
    alone: async (inputs) => {
      const values = Float32Array.from((inputs as number[][]).flat());
      const { y } = await session.run({ x: new Tensor('float32', values, [inputs.length, width]) });
      const [, outWidth = 0] = y?.dims ?? [];
      const data = y?.data as Float32Array;
      return inputs.map((_, i) => Array.from(data.subarray(i * outWidth, (i + 1) * outWidth)));
    },
  };
}

async function ofTexts(name: string, folder: string, path: string): Promise<Subject> {
  env.allowRemoteModels = false;
  env.localModelPath = folder;
  const embed = await pipeline('feature-extraction', path, {
    dtype: 'fp32',
    device: 'cpu',
    local_files_only: true,
  });
  return {
    ...{ name, type: 'sentence_transformers', path },
    input: (i) => `The kettle number ${i} leaks`,
    alone: async (inputs) => {
      const tensor = await embed(inputs as string[], { pooling: 'mean', normalize: true });
      return tensor.tolist() as JsonValue[];
    },
  };
}
