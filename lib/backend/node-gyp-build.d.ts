declare module 'node-gyp-build' {
  const load: {
    /** The path of the addon of the package at `folder`: in build/, or in prebuilds/. Throws if there is none for this platform. */
    path(folder: string): string;
  };
  export default load;
}
