import { registerHooks } from 'node:module';

/** Makes packages missing, as where nobody has installed them: loaded by `--import`, with their names in WITHOUT_PACKAGES. */
const missing = (process.env['WITHOUT_PACKAGES'] ?? '').split(',');

registerHooks({
  resolve(specifier, context, next) {
    if (!missing.includes(specifier)) return next(specifier, context);
    throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});
