import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules', 'build', 'build-*', 'dist', 'prebuilds', 'coverage', 'bench/results'] },
  {
    files: ['lib/**/*.ts', 'test/**/*.ts', 'examples/**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Typed arrays are read within bounds that the code has just checked.
      '@typescript-eslint/no-non-null-assertion': 'off',
      eqeqeq: 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [...tseslint.configs.recommended],
    rules: { '@typescript-eslint/no-require-imports': 'off', eqeqeq: 'error' },
  },
);
