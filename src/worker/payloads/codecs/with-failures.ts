import { join } from 'node:path';
import type { DataConverter } from '@temporalio/common';
import type { CodecSettings } from '../../../contract/payloads/codec-settings.js';
import { compiledFolder } from '../../bundles/workflow-bundle.js';
import { codecName } from './configured-codecs.js';

/** A converter whose failures are encoded as payloads are, where there is a codec and it is to encode them. */
export function withFailures(converter: DataConverter, codec: CodecSettings): DataConverter {
  if (codecName(codec) === null || !codec.encodesFailures) return converter;
  return { ...converter, failureConverterPath: encodingPath() };
}

/** Whether a converter is one of these: the workflow code of its worker encodes failures too then. */
export function encodesFailures(converter: DataConverter | undefined): boolean {
  return converter?.failureConverterPath !== undefined && converter.failureConverterPath === encodingPath();
}

function encodingPath(): string {
  return join(compiledFolder(), 'worker', 'payloads', 'codecs', 'encoding-failure-converter.js');
}
