/** `npm run requirements`: checks the rows in `test/requirements`, and writes `docs/requirements.md`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFaults } from './requirements/find-faults.mjs';
import { readRequirements, titlesOfProject } from './requirements/read-requirements.mjs';
import { requirementsPage } from './requirements/requirements-page.mjs';
import { projectFolder } from './setup/project-folder.mjs';

const documents = readRequirements(projectFolder);
const faults = findFaults(documents, titlesOfProject(projectFolder));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else writeFileSync(join(projectFolder, 'docs', 'requirements.md'), requirementsPage(documents));
