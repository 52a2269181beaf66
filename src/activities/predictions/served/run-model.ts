import type { RunModelInput } from '../../../contract/activities.js';
import type { ModelRunResult, ServedType } from '../../../contract/predictions/served-model.js';
import type { ActivityDeps } from '../../activity-deps.js';
import {
  assertResultFits,
  atEdge,
  attemptSignal,
  Fault,
  isTimeout,
  untilAborted,
} from '../../retries/failures.js';
import { withHeartbeat } from '../../retries/heartbeat.js';
import { secretsOf } from '../../secrets/secrets.js';
import type { ModelHost, ModelRunner } from './ask-host.js';

/** What this process can run, loaded when it is first asked for. */
const inHost = async (): Promise<ModelRunner> => (await import('./ask-host.js')).runInHost;
const runners: Partial<Record<ServedType, () => Promise<ModelRunner>>> = {
  onnx: inHost,
  bert: inHost,
  hf_sequence_classifier: inHost,
  sentence_transformers: inHost,
  sagemaker: async () => (await import('./sagemaker.js')).runOnSageMaker,
};

/**
 * Asks a model that this worker loads or reaches, once.
 * @throws ApplicationFailure of type predict_failed, file_failed, missing_package or payload_too_large
 */
export function runModel(
  deps: ActivityDeps,
  host: ModelHost,
  { run, idempotencyKey, tries }: RunModelInput,
): Promise<ModelRunResult> {
  const { model, backend } = run;
  const subject = `Model ${model}`;
  const edge = { code: 'predict_failed', subject, secrets: () => secretsOf(deps.env), tries } as const;
  return atEdge(edge, () =>
    withHeartbeat(async () => {
      const load = runners[backend.type];
      if (load === undefined)
        throw new Fault(`a model of the type "${backend.type}" needs a worker in Python, and this is none`, {
          retryable: false,
        });
      const signal = attemptSignal(backend.timeoutMs);
      try {
        const asked = (await load())({ deps, run, idempotencyKey, signal, host });
        return assertResultFits(await untilAborted(asked, signal), `The output of model ${model}`);
      } catch (error) {
        if (!isTimeout(signal)) throw error;
        throw new Fault(`gave no answer within ${backend.timeoutMs} ms`, { retryable: true, cause: error });
      }
    }),
  );
}
