import { TactusError } from './errors.js';

/**
 * Loads a package that not everybody needs.
 * @param missing what is said where it isn't installed
 * @throws TactusError missing_package
 */
export async function loadPackage<T>(load: () => Promise<T>, missing: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new TactusError('missing_package', missing);
  }
}
