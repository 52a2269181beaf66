import type { ProcedureSource } from '../dist/contract/procedures/source.js';

function source(name: string, text: string): ProcedureSource {
  return { entry: `${name}.tac`, files: { [`${name}.tac`]: text } };
}

/** The same as `nativeSteps`. */
export function stepsProcedure(endpoint: string | null): ProcedureSource {
  const backend =
    endpoint === null ? 'type = "mock", value = {score = 0.5}' : `type = "http", endpoint = "${endpoint}"`;
  return source(
    'steps',
    `m = Model { ${backend} }
Procedure {
  input = { n = field.integer{required = true} },
  function(input)
    local sum = 0
    for i = 1, input.n do
      sum = sum + m({ i = i }).output.score
    end
    return sum
  end
}`,
  );
}

/** The same as `nativeSuspended`. */
export const suspendedProcedure = source(
  'suspended',
  `m = Model { type = "mock", value = {score = 0.5} }
Procedure { function(input)
  m({ i = 1 })
  return Human.approve("go on?")
end }`,
);
