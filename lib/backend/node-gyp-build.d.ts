declare module 'node-gyp-build' {
  /** Loads the addon of the package at `folder`: prebuilds/ or build/. */
  export default function load(folder: string): unknown;
}
