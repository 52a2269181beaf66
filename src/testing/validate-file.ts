import type { FileValidation } from '../client/procedures/index.js';

/**
 * Says what is wrong with a procedure's file, all that it requires, and its Specifications, without running it. Files
 * are named as the given one is. Parsers are loaded by the first call.
 * @throws TactusError source_not_found where there is no such file
 */
export async function validateFile(
  file: string,
  options: { strict?: boolean | null } = {},
): Promise<FileValidation> {
  const { validateWithTests } = await import('./specifications/validate-with-tests.js');
  return validateWithTests(file, options);
}
