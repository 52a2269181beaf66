import { ApplicationFailure, DefaultFailureConverter, type FailureConverter } from '@temporalio/common';
import { CodecFault } from './codec-fault.js';

const readable = new DefaultFailureConverter();
const encoded = new DefaultFailureConverter({ encodeCommonAttributes: true });

/**
 * Of activities, found by its path: messages and stacks of failures become a payload, which codecs encode. That a codec has failed
 * stays readable: who encodes it would fail again, and the worker with it.
 */
export const failureConverter: FailureConverter = {
  errorToFailure: (error, converter, context) =>
    (isOfCodec(error) ? readable : encoded).errorToFailure(error, converter, context),
  failureToError: (failure, converter, context) => readable.failureToError(failure, converter, context),
};

/** The SDK takes a failure of an activity's own making over with the name of its class alone. */
function isOfCodec(error: unknown): boolean {
  if (error instanceof ApplicationFailure) return error.type === CodecFault.name;
  return error instanceof Error && error.constructor.name === CodecFault.name;
}
