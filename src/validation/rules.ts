import { accidentalGlobal } from './rules/accidental-global.js';
import { approvalCompared } from './rules/approval-compared.js';
import { checkpointLocal } from './rules/checkpoint-local.js';
import { colonCall } from './rules/colon-call.js';
import { computedName } from './rules/computed-name.js';
import { cyclicRequire } from './rules/cyclic-require.js';
import { duplicateDeclaration } from './rules/duplicate-declaration.js';
import { duplicateKey } from './rules/duplicate-key.js';
import { effectInCallback } from './rules/effect-in-callback.js';
import { endlessLoop } from './rules/endless-loop.js';
import { foreignName } from './rules/foreign-name.js';
import { formatArguments } from './rules/format-arguments.js';
import { growingConversation } from './rules/growing-conversation.js';
import { ignoredSetting } from './rules/ignored-setting.js';
import { invalidDuration } from './rules/invalid-duration.js';
import { invalidSetting } from './rules/invalid-setting.js';
import { missingArgument } from './rules/missing-argument.js';
import { missingValue } from './rules/missing-value.js';
import { moduleNotFound } from './rules/module-not-found.js';
import { nonDeterministic } from './rules/non-deterministic.js';
import { outputIncomplete } from './rules/output-incomplete.js';
import { outputUnknown } from './rules/output-unknown.js';
import { overwrittenName } from './rules/overwritten-name.js';
import { procedureNotFound } from './rules/procedure-not-found.js';
import { readOnly } from './rules/read-only.js';
import { refusedRequest } from './rules/refused-request.js';
import { stateInCheckpoint } from './rules/state-in-checkpoint.js';
import { unboundedCalls } from './rules/unbounded-calls.js';
import { undeclaredReference } from './rules/undeclared-reference.js';
import { unknownFieldType } from './rules/unknown-field-type.js';
import { unknownInput } from './rules/unknown-input.js';
import { unknownKey } from './rules/unknown-key.js';
import { unknownMember } from './rules/unknown-member.js';
import { unknownMock } from './rules/unknown-mock.js';
import { unknownModelType } from './rules/unknown-model-type.js';
import { unknownName } from './rules/unknown-name.js';
import { unknownPlaceholder } from './rules/unknown-placeholder.js';
import { unknownProviderTool } from './rules/unknown-provider-tool.js';
import { unknownState } from './rules/unknown-state.js';
import { unreachableCode } from './rules/unreachable-code.js';
import { unusedDeclaration } from './rules/unused-declaration.js';
import { unusedLocal } from './rules/unused-local.js';
import { wrongCase } from './rules/wrong-case.js';
import { wrongDefault } from './rules/wrong-default.js';
import { wrongEnum } from './rules/wrong-enum.js';
import { wrongInput } from './rules/wrong-input.js';
import { wrongOptions } from './rules/wrong-options.js';
import { wrongProvider } from './rules/wrong-provider.js';
import { wrongStateType } from './rules/wrong-state-type.js';
import { wrongType } from './rules/wrong-type.js';
import type { Rule } from './rule.js';

/** Every rule that looks at syntax trees. A test compares this with the folder. */
export const rules: readonly Rule[] = [
  ...[unknownName, foreignName, unknownMember, colonCall, overwrittenName],
  ...[unknownKey, wrongType, missingArgument, missingValue, invalidDuration, invalidSetting, wrongOptions],
  ...[refusedRequest, ignoredSetting, wrongInput, unknownMock],
  ...[unknownFieldType, wrongDefault, wrongEnum, unknownModelType, unknownProviderTool, wrongProvider],
  ...[unknownInput, readOnly, wrongStateType, unknownState, outputIncomplete, outputUnknown],
  ...[undeclaredReference, duplicateDeclaration, duplicateKey, unknownPlaceholder],
  ...[moduleNotFound, procedureNotFound, wrongCase, computedName, cyclicRequire],
  ...[nonDeterministic, checkpointLocal, stateInCheckpoint, effectInCallback],
  ...[approvalCompared, growingConversation, unboundedCalls],
  ...[endlessLoop, unreachableCode, formatArguments, unusedLocal, unusedDeclaration, accidentalGlobal],
];
