import { temporal } from '@temporalio/proto';
import type { History } from '../support/histories.js';

const { History: HistoryMessage } = temporal.api.history.v1;

/**
 * A history as JSON. Not by the SDK's own functions: npm may install several copies of protobufjs, and these functions
 * then refuse each other's types.
 */
export function historyToText(history: History): string {
  const plain = HistoryMessage.toObject(HistoryMessage.fromObject(history), {
    longs: String,
    bytes: String,
    enums: String,
  });
  return `${JSON.stringify(plain)}\n`;
}

export function historyFromText(text: string): History {
  return HistoryMessage.fromObject(JSON.parse(text) as Record<string, unknown>);
}
