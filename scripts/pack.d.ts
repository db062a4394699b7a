export function publishedManifest(manifest: object): Record<string, unknown>;
export function pack(folder: string): string;
