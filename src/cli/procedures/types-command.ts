import { Command } from 'commander';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { luarcSettings, settleLuarc, type Luarc } from './luarc.js';
import { copyStub, stubFolder } from './type-stub.js';

/** `types [DIR]`: what an editor needs to know of the language. */
export function typesCommand(): Command {
  return new Command('types')
    .description(
      `tell editors of the language: puts ${stubFolder}/ and a .luarc.json for the Lua language server into a project`,
    )
    .argument('[dir]', 'the folder of the project', '.')
    .action(
      act(async ({ screen }, _flags: object, project: string) => {
        const { files, removed } = await copyStub(project);
        const luarc = await settleLuarc(project);
        screen.answer({ folder: stubFolder, files, removed, luarc: { ...luarc } }, () =>
          [`${stubFolder}/ has ${files.length} files`, luarcText(luarc)].join('\n'),
        );
        return exitCodes.done;
      }),
    );
}

function luarcText({ file, written, missing }: Luarc): string {
  if (written) return `${file} written`;
  if (missing === null)
    return `${file} is no plain JSON and was left alone; it should say:\n${JSON.stringify(luarcSettings, null, 2)}`;
  if (Object.keys(missing).length === 0) return `${file} says all that is needed`;
  return `${file} was left alone; add to it:\n${JSON.stringify(missing, null, 2)}`;
}
