import { digestOf } from '../effects/digest.js';
import type { HumanRequest } from './human-request.js';
import type { JsonValue } from '../json/json.js';

type Shown = Pick<
  HumanRequest,
  | 'kind'
  | 'message'
  | 'context'
  | 'options'
  | 'form'
  | 'metadata'
  | 'hints'
  | 'preconditions_before'
  | 'by_host'
  | 'origin'
>;

/** Identifies what a person is shown: a decision that names another digest was made for something else. */
export function requestDigest(shown: Shown): string {
  const { kind, message, context, options, form, metadata, hints, preconditions_before: before } = shown;
  const { by_host: byHost, origin } = shown;
  return digestOf({
    kind,
    message,
    context,
    options,
    ...(form === undefined ? {} : { form: form as unknown as JsonValue }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(hints === undefined ? {} : { hints: hints as JsonValue }),
    ...(before === undefined ? {} : { preconditions_before: before }),
    ...(byHost === undefined ? {} : { by_host: byHost }),
    ...(origin === undefined ? {} : { origin: origin as unknown as JsonValue }),
  });
}
