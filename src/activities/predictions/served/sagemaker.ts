import { TactusError } from '../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import { readJson } from '../../../contract/json/read-json.js';
import { answerPart } from '../../models/answer-part.js';
import { assertInstalled } from '../../packages/installed.js';
import { Fault } from '../../retries/failures.js';
import type { AskedRun, ModelRunner } from './model-runner.js';
import { refusedKeys, withSageMaker } from './sagemaker-clients.js';

const packageName = '@aws-sdk/client-sagemaker-runtime';

/** Of the service: the endpoint isn't there, or refuses what it was asked. */
const hopeless = ['ValidationError', 'AccessDeniedException', ...refusedKeys];

/** What the model's own container answers with, its status is what counts. */
interface ServiceError {
  name?: string;
  message?: string;
  OriginalStatusCode?: number;
  OriginalMessage?: string;
  $metadata?: { httpStatusCode?: number };
}

/**
 * Asks an endpoint of Amazon SageMaker, an input a request. Settings: `endpoint`, its name; `region`; `variant`; `content_type` and
 * `accept`, `application/json` both; `base_url` for another address than the region's; `response`, where the prediction stands in
 * the answer. Credentials come from where the AWS SDK finds them.
 */
export const runOnSageMaker: ModelRunner = async ({ deps, run, signal }) => {
  assertInstalled('Models of the type "sagemaker" need', [packageName]);
  const { InvokeEndpointCommand } = await import('@aws-sdk/client-sagemaker-runtime');
  const { settings } = run.backend;
  const text = (name: string): string | null => textOf(settings, name);
  const place = { region: text('region'), address: text('base_url') };
  const contentType = text('content_type') ?? 'application/json';
  const variant = text('variant');
  try {
    const outputs: JsonValue[] = [];
    let version: string | null = null;
    for (const input of run.inputs) {
      const command = new InvokeEndpointCommand({
        EndpointName: text('endpoint') ?? '',
        ContentType: contentType,
        Accept: text('accept') ?? 'application/json',
        Body: bodyOf(input, contentType),
        ...(variant === null ? {} : { TargetVariant: variant }),
      });
      const answer = await withSageMaker(deps, place, (client) =>
        client.send(command, { abortSignal: signal }),
      );
      version = answer.InvokedProductionVariant ?? null;
      const said = readAnswer(new TextDecoder().decode(answer.Body), answer.ContentType ?? '');
      const part = text('response');
      outputs.push(part === null ? said : answerPart(said, part));
    }
    return { outputs, cost: null, version };
  } catch (error) {
    throw sorted(error, run);
  }
};

function textOf(settings: JsonObject, name: string): string | null {
  const value = settings[name] ?? null;
  if (value === null || (typeof value === 'string' && value !== '')) return value;
  throw new TactusError('predict_failed', `${name} of a model of the type "sagemaker" must be a text`);
}

/** A text goes as it is where the endpoint takes text: a row of CSV. */
function bodyOf(input: JsonValue, contentType: string): string {
  const isJson = contentType.includes('json');
  return typeof input === 'string' && !isJson ? input : JSON.stringify(input);
}

function readAnswer(body: string, contentType: string): JsonValue {
  if (!contentType.includes('json')) return body;
  try {
    return readJson(body);
  } catch {
    throw new Fault('answered with text that is not JSON', { retryable: true, isAnswer: true });
  }
}

function sorted(error: unknown, { backend }: AskedRun['run']): unknown {
  if (error instanceof Fault || error instanceof TactusError) return error;
  const { name = '', message = '', OriginalStatusCode, OriginalMessage, $metadata } = error as ServiceError;
  if (message.includes('Region is missing'))
    return new Fault('no region is known: say region = "…" of the model, or set AWS_REGION', {
      retryable: false,
    });
  const status = OriginalStatusCode ?? $metadata?.httpStatusCode;
  const endpoint = `the endpoint ${textOf(backend.settings, 'endpoint')}`;
  const said = [name, OriginalMessage ?? message].filter((each) => each !== '').join(': ');
  const isHopeless =
    hopeless.includes(name) || (status !== undefined && status >= 400 && status < 500 && status !== 429);
  return new Fault(`${endpoint} failed (${said})`, {
    retryable: !isHopeless,
    ...(status === undefined ? {} : { status }),
    cause: error,
  });
}
