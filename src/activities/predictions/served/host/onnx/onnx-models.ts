import { stat } from 'node:fs/promises';
import type { InferenceSession } from 'onnxruntime-node';
import { TactusError } from '../../../../../contract/errors.js';
import type { LoadedModel, ModelKind, ModelPlace } from '../model-kind.js';
import { withoutPlace } from '../model-files.js';
import { dataBeside } from './data-beside.js';
import { runOnnx } from './run-onnx.js';

/** Of the runtime's own log: what can't be helped. */
const errorsAlone = 3;
/** Where in its own sources an error arose: `/onnxruntime_src/….h:46 void onnxruntime::f(int) `. */
const nativePlace = /\/onnxruntime_src\/.*?\) (?=[A-Z])/s;

/** A file of ONNX, and those beside it that hold its weights. */
export const onnxModels: ModelKind = {
  async files({ place, path }) {
    if (!(await stat(place)).isFile())
      throw new TactusError('predict_failed', `${path} is a folder, and path must name the model's file`);
    return [place, ...(await dataBeside(place))];
  },
  variant: () => null,
  async load(model) {
    const session = await openSession(model);
    const loaded: LoadedModel = {
      run: (inputs, settings) => runOnnx(session, inputs, settings),
      dispose: () => session.release(),
    };
    return loaded;
  },
};

async function openSession({ place, path }: ModelPlace): Promise<InferenceSession> {
  const { InferenceSession } = await import('onnxruntime-node');
  try {
    return await InferenceSession.create(place, { logSeverityLevel: errorsAlone });
  } catch (error) {
    const said = withoutPlace(error instanceof Error ? error.message : String(error), place).replace(
      nativePlace,
      '',
    );
    throw new TactusError('predict_failed', `${path} can't be loaded as a model of ONNX: ${said}`);
  }
}
