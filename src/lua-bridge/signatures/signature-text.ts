import { TactusError } from '../../contract/errors.js';
import { setOwn } from '../../contract/json/json.js';
import type { Field, Fields } from '../values/schema.js';
import { readAnnotation } from './annotation.js';
import { SignatureTokens } from './signature-tokens.js';

/** What a model is given, and what it is to give. */
export interface SignatureFields {
  input: Fields;
  /** In the order in which the model gives them. */
  output: Fields;
  /** Inputs that hold what was said before. */
  histories: readonly string[];
}

/** One side of the arrow. */
interface Side {
  fields: Fields;
  /** Fields of the type `dspy.History`. */
  histories: string[];
}

/**
 * Reads `question -> answer` and `text: str -> score: float, labels: list[str]`. A field without a type is a text.
 * @throws TactusError source_invalid
 */
export function readSignatureText(text: string): SignatureFields {
  const tokens = new SignatureTokens(text);
  if (tokens.count('->') !== 1)
    throw new TactusError(
      'source_invalid',
      `Invalid signature format: must contain exactly one '->' separator, as "question -> answer", got ${JSON.stringify(text.slice(0, 120))}`,
    );
  const names = new Set<string>();
  const { fields: input, histories } = readSide(tokens, names);
  tokens.expect('->');
  const { fields: output, histories: none } = readSide(tokens, names);
  if (tokens.next !== null) throw tokens.invalid('a comma expected');
  if (none.length > 0) throw tokens.invalid(`${none.join(', ')}: a model gives no history`);
  return { input, output, histories };
}

function readSide(tokens: SignatureTokens, names: Set<string>): Side {
  if (tokens.next === null || tokens.next === '->')
    throw tokens.invalid("Signature cannot have empty fields on either side of '->'");
  const side: Side = { fields: {}, histories: [] };
  do {
    const name = tokens.take(/^[A-Za-z_]\w*$/, 'the name of a field');
    if (names.has(name)) throw tokens.invalid(`Signature contains duplicate field names: ${name}`);
    names.add(name);
    const field = tokens.skip(':') ? readType(tokens) : untyped();
    if (field === null) side.histories.push(name);
    else setOwn(side.fields, name, field);
  } while (tokens.skip(','));
  return side;
}

const untyped = (): Field => ({ type: 'string', required: true });

/** null for what was said before. */
function readType(tokens: SignatureTokens): Field | null {
  const isHistory = tokens.skip('dspy.History') || tokens.skip('History');
  return isHistory ? null : readAnnotation(tokens);
}
