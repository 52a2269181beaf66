import type { PredictionResult } from '../../contract/predictions/prediction.js';
import type { ActivityDeps } from '../activity-deps.js';
import { assertResultFits } from './assert-result-fits.js';
import { atEdge } from '../retries/failures.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import { predictByHttp } from './predict-by-http.js';
import { namedSecrets } from '../http/request-headers.js';
import { createRedactor, secretsOf } from '../secrets/redact.js';
import type { PredictInput } from '../../contract/activities.js';

/**
 * Asks a prediction model once.
 * @throws ApplicationFailure of type predict_failed, missing_key or payload_too_large
 */
export async function predict(
  deps: ActivityDeps,
  { prediction, idempotencyKey, tries }: PredictInput,
): Promise<PredictionResult> {
  const { model, backend, input } = prediction;
  const named = backend.type === 'http' ? namedSecrets(backend.headers, deps.env) : [];
  const secrets = (): string[] => [...secretsOf(deps.env), ...named];
  return atEdge({ code: 'predict_failed', subject: `Model ${model}`, secrets, tries }, () =>
    withHeartbeat(async () => {
      const answer =
        backend.type === 'mock'
          ? { output: backend.value, cost: null }
          : await predictByHttp(deps, { backend, input, idempotencyKey });
      // An endpoint that echoes what it was sent must not bring a key into history.
      const output = createRedactor(named).value(answer.output);
      return assertResultFits({ output, cost: answer.cost }, `The output of model ${model}`);
    }),
  );
}
