import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';

/** What is to be chosen: the one member of an answer, and its values. */
export interface ChoiceField {
  name: string;
  labels: readonly string[];
}

/** Each label costs an evaluation. */
const mostLabels = 100;

/** The member of an answer that is nothing but a choice among texts; null for all other schemas. */
export function choiceField({ properties = null }: JsonObject): ChoiceField | null {
  const members = isObject(properties) ? Object.entries(properties) : [];
  const [[name, member] = ['', null], ...others] = members;
  const labels = isObject(member) && Array.isArray(member['enum']) ? member['enum'] : [];
  const isChoice = others.length === 0 && labels.length > 0 && labels.length <= mostLabels;
  return isChoice && labels.every(isLabel) ? { name, labels } : null;
}

function isLabel(value: JsonValue): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
