import type { HumanItem, HumanRequest, OptionValue } from '../../../contract/people/human-request.js';
import { isExact, readJson, setOwn, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { neededProblem, withNeed } from '../../../contract/people/ledger/needed-answer.js';

/** What an answer is made of: a request, or one of several questions in one. */
export type Subject = Pick<
  HumanRequest,
  'kind' | 'message' | 'context' | 'options' | 'form' | 'metadata' | 'hints' | 'default'
>;

/** What has been typed and chosen so far; each kind has its own part. */
export interface Draft {
  text?: string;
  approved?: boolean;
  chosen?: OptionValue[];
  decision?: string;
  feedback?: string;
  /** The artifact as the person would have it; left out: as it is. */
  edited?: string;
  files?: JsonValue[];
  items?: Record<string, Draft>;
}

/** An answer, or why there is none yet. */
export type Drafted = { value: JsonValue } | { problem: string };

/** How a text becomes a value. */
export type InputMode = 'text' | 'number' | 'checkbox' | 'json' | 'options';

export function inputModeOf({ options, form, hints, metadata }: Subject): InputMode {
  if (options.length > 0) return 'options';
  const schema = metadata?.['response_schema'] as JsonObject | undefined;
  const type = hints?.input_type ?? schemaType(schema);
  if (type === 'number' || type === 'range' || type === 'integer') return 'number';
  if (type === 'checkbox' || type === 'boolean') return 'checkbox';
  if (hints?.input_type !== undefined || type === 'string') return 'text';
  return form?.type === 'any' || schema !== undefined ? 'json' : 'text';
}

function schemaType(schema: JsonObject | undefined): string | undefined {
  const type = schema?.['type'];
  return typeof type === 'string' && ['string', 'number', 'integer', 'boolean'].includes(type)
    ? type
    : undefined;
}

/** What is reviewed, as text; null where nothing is. */
export function artifactText({ context }: Pick<Subject, 'context'>): string | null {
  const artifact = artifactOf(context);
  if (artifact === undefined || artifact === null) return null;
  return typeof artifact === 'string' ? artifact : JSON.stringify(artifact, null, 2);
}

function artifactOf(context: JsonValue): JsonValue | undefined {
  if (typeof context !== 'object' || context === null || Array.isArray(context)) return undefined;
  return Object.hasOwn(context, 'artifact') ? context['artifact'] : undefined;
}

/** Reads what was typed as the answer that the request wants. Whether it fits, its run says. */
export function readDraft(subject: Subject, draft: Draft): Drafted {
  const drafted = readOfKind(subject, draft);
  if ('problem' in drafted || neededProblem(subject, drafted.value) === null) return drafted;
  return { problem: 'Enter an answer.' };
}

function readOfKind(subject: Subject, draft: Draft): Drafted {
  switch (subject.kind) {
    case 'approval':
      return draft.approved === undefined ? { problem: 'Choose yes or no.' } : { value: draft.approved };
    case 'input':
      return readInput(subject, draft);
    case 'review':
      return readReview(subject, draft);
    case 'select':
      return readSelect(subject, draft);
    case 'multiple':
      return subject.form?.type === 'items'
        ? readItems(subject.form.items, draft)
        : readTyped(draft.text ?? '');
    case 'upload':
      return readUpload(subject, draft);
    case 'escalation':
      return { value: readSettled(subject, draft) };
  }
}

/** To say that it is settled is enough, unless the procedure wants to know what was done. */
function readSettled({ hints }: Subject, { text = '' }: Draft): JsonValue {
  return text.trim() === '' && hints?.required !== true ? true : text;
}

function readInput(subject: Subject, { text = '', chosen = [], approved = false }: Draft): Drafted {
  switch (inputModeOf(subject)) {
    case 'options':
      return chosen[0] === undefined ? { problem: 'Choose one.' } : { value: chosen[0] };
    case 'number': {
      const number = Number(text.trim());
      if (text.trim() === '' || !Number.isFinite(number)) return { problem: 'Type a number.' };
      if (!isExact(number, text.trim())) return { problem: 'The number has too many digits.' };
      return { value: number };
    }
    case 'checkbox':
      return { value: approved };
    case 'json':
      return readTyped(text);
    case 'text':
      return { value: text };
  }
}

function readReview(subject: Subject, { decision, feedback = '', edited }: Draft): Drafted {
  if (decision === undefined || decision === '') return { problem: 'Choose a decision.' };
  const before = artifactText(subject);
  let artifact: JsonValue = null;
  if (edited !== undefined && edited !== before) {
    if (typeof artifactOf(subject.context) === 'string' || before === null) artifact = edited;
    else {
      const read = readTyped(edited);
      if ('problem' in read) return { problem: `The edited artifact is not valid JSON: ${read.problem}` };
      artifact = read.value;
    }
  }
  return {
    value: { decision, feedback: feedback.trim() === '' ? null : feedback, edited_artifact: artifact },
  };
}

function readSelect({ form }: Subject, { chosen = [] }: Draft): Drafted {
  if (form?.type !== 'select' || !form.multiple)
    return chosen[0] === undefined ? { problem: 'Choose one.' } : { value: chosen[0] };
  const { min, max } = form;
  if (chosen.length < min) return { problem: `Choose at least ${min}.` };
  if (max !== null && chosen.length > max) return { problem: `Choose at most ${max}.` };
  return { value: chosen };
}

function readItems(items: readonly HumanItem[], { items: drafts = {} }: Draft): Drafted {
  const answers: JsonObject = {};
  for (const item of items) {
    const draft = Object.hasOwn(drafts, item.id) ? drafts[item.id] : undefined;
    if (!item.required && isUntouched(draft)) continue;
    const answer = readDraft({ ...withNeed(item), context: null }, draft ?? {});
    if ('problem' in answer) return { problem: `${item.label}: ${answer.problem}` };
    setOwn(answers, item.id, answer.value);
  }
  return { value: answers };
}

/** What may be left out is, until somebody says something there. */
function isUntouched(draft: Draft | undefined): boolean {
  if (draft === undefined) return true;
  return Object.values(draft).every(
    (part) => part === undefined || part === '' || (Array.isArray(part) && part.length === 0),
  );
}

function readUpload({ form }: Subject, { files = [] }: Draft): Drafted {
  const [first] = files;
  if (first === undefined) return { problem: 'Choose a file.' };
  return { value: form?.type === 'upload' && form.multiple ? files : first };
}

function readTyped(text: string): Drafted {
  if (text.trim() === '') return { problem: 'Type an answer.' };
  try {
    return { value: readJson(text) };
  } catch (error) {
    return { problem: `This is not valid JSON (put text in quotes): ${String((error as Error).message)}` };
  }
}

export interface FieldsProps {
  subject: Subject;
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** Tells the fields of one question from those of another. */
  name: string;
}
