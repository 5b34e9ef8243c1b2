/** Returns the configuration of Biome that enforces the allowed imports, with an override per border. */
export function toBiomeConfiguration(): {
  $schema: string
  overrides: {
    includes: string[]
    linter: {
      rules: {
        style: {
          noRestrictedImports: {
            level: 'error'
            options: { patterns: { message: string; group: string[] }[] }
          }
        }
      }
    }
  }[]
}
