import { afterAll } from 'vitest';
import { removeTemporaryFolders } from './temporary-folder.js';

/** Vitest runs this before each file, also where files share a process: its hook comes after all that the file does at its end. */
afterAll(removeTemporaryFolders);
