/** Filled in by scripts/bundle.js. */
declare const PACKAGE_VERSION: string;

/** The package's version. */
export function version(): string {
  return PACKAGE_VERSION;
}
