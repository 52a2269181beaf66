import { DefaultFailureConverter } from '@temporalio/common';

/** Of activities, found by its path: messages and stacks of failures become a payload, which codecs encode. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
