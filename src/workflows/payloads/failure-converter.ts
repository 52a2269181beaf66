import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';
import { encodedFailuresFlag } from '../../contract/names.js';

const readable = new DefaultFailureConverter();
const encoded = new DefaultFailureConverter({ encodeCommonAttributes: true });

/** Of the workflow code: messages and stacks of failures become a payload, which codecs encode, where its worker wants that. */
export const failureConverter: FailureConverter = {
  errorToFailure: (error, converter, context) =>
    (encodedFailuresFlag in globalThis ? encoded : readable).errorToFailure(error, converter, context),
  failureToError: (failure, converter, context) => readable.failureToError(failure, converter, context),
};
