export function examplesIn(page: string): { line: number; code: string }[];
export function printedBy(code: string): string[];
export function matches(printed: string, said: readonly string[]): boolean;
export function runExample(
  code: string,
  packageFolder: string,
  options?: { name?: string; env?: NodeJS.ProcessEnv; beside?: readonly string[] },
): Promise<string>;
export function runProgram(source: string, name: string, packageFolder: string): Promise<string>;
