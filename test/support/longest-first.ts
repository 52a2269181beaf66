import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longestFiles } from './longest-files.js';

/** Files that are known to take long begin first, so that none is left alone at the end; those that nobody knows, by their size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const projects = [...new Set(bySize.map(({ project }) => project.name))];
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longestFiles.findIndex((file) => moduleId.endsWith(`/${file}`));
      return at < 0 ? longestFiles.length : at;
    };
    return projects.flatMap((name) =>
      bySize.filter(({ project }) => project.name === name).sort((a, b) => place(a) - place(b)),
    );
  }
}
