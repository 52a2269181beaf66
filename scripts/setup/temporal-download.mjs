import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { takeFromTar } from './take-from-tar.mjs';
import { verifyHash } from './verify-hash.mjs';

/** The executables are some 100 MB, their archives a third of that. */
const mostBytes = 500_000_000;
const mostInfoBytes = 100_000;
/** Where it can't be reached, the executable is had in another way. In ms. */
const answerMs = 15_000;
const archiveMs = 120_000;

/** What Temporal calls platforms. */
const names = { x64: 'amd64', arm64: 'arm64' };

/**
 * Fetches an executable from where Temporal's SDKs have theirs. Nothing of it is run: it is used once its hash is known to be right.
 * @param {object} wanted
 * @param {string} wanted.artefact what it is called there
 * @param {string} wanted.version such as `v1.9.1`
 * @param {string} wanted.platform such as `linux-x64`
 * @param {string} wanted.sha256 of the executable
 * @param {string} wanted.place where it is put
 * @param {string} [wanted.address]
 * @throws {Error} where it can't be had, or is another file
 */
export async function temporalDownload({
  artefact,
  version,
  platform,
  sha256,
  place,
  address = 'https://temporal.download',
}) {
  const [system = '', chip = ''] = platform.split('-');
  const info = new URL(`${address}/${artefact}/${version}`);
  info.searchParams.set('platform', system);
  info.searchParams.set('arch', names[/** @type {keyof typeof names} */ (chip)] ?? chip);
  info.searchParams.set('format', 'tar.gz');
  let told = '';
  await pipeline(await bodyOf(info, answerMs), atMost(mostInfoBytes), async (pieces) => {
    for await (const piece of pieces) told += piece;
  });
  const { archiveUrl, fileToExtract } = JSON.parse(told);
  const archive = new URL(archiveUrl);
  if (archive.protocol !== info.protocol) throw new Error(`${archive.protocol} is no way to fetch it`);
  await pipeline(
    await bodyOf(archive, archiveMs),
    atMost(mostBytes),
    createGunzip(),
    (/** @type {AsyncIterable<Uint8Array>} */ pieces) => takeFromTar(pieces, fileToExtract),
    atMost(mostBytes),
    createWriteStream(place),
  );
  await verifyHash(place, sha256);
}

/**
 * @param {URL} url
 * @param {number} timeoutMs for all of it
 */
async function bodyOf(url, timeoutMs) {
  const { ok, status, body } = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!ok || body === null) throw new Error(`${url.host} answered ${status}`);
  return Readable.fromWeb(/** @type {import('node:stream/web').ReadableStream} */ (body));
}

/** @param {number} most bytes that pass */
function atMost(most) {
  let size = 0;
  return new Transform({
    transform(piece, _encoding, done) {
      size += piece.length;
      if (size > most) done(new Error(`it is larger than ${most} bytes`));
      else done(null, piece);
    },
  });
}
