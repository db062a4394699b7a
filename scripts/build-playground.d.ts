export function buildPlayground(folder: string): Promise<string>;
