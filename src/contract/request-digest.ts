import { digestOf } from './digest.js';
import type { HumanRequest } from './human-request.js';
import type { JsonValue } from './json.js';

type Shown = Pick<HumanRequest, 'kind' | 'message' | 'context' | 'options' | 'form' | 'metadata'>;

/** Identifies what a person is shown: a decision that names another digest was made for something else. */
export function requestDigest({ kind, message, context, options, form, metadata }: Shown): string {
  return digestOf({
    kind,
    message,
    context,
    options,
    ...(form === undefined ? {} : { form: form as unknown as JsonValue }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}
