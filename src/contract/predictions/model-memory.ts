/** The folder of models where nobody names another one, in the working folder. */
export const usualModelsFolder = 'models';

/** Where prediction models lie: a folder, from the working folder. */
export const modelsFolderVariable = 'TACTUS_TEMPORAL_MODELS_FOLDER';

/** How much of prediction models is loaded at once: `500MB`, `4GB`. */
export const modelMemoryVariable = 'TACTUS_TEMPORAL_MODEL_MEMORY';

const units: Record<string, number> = { KB: 1e3, MB: 1e6, GB: 1e9 };

/** `4GB` in bytes; null where it is nothing of the kind. */
export function readMemory(text: string): number | null {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*(KB|MB|GB)$/i.exec(text.trim()) ?? [];
  const bytes = Number(amount) * (units[unit.toUpperCase()] ?? 0);
  return bytes > 0 ? bytes : null;
}
