/** The configuration of Biome that enforces who may import whom: an override per border. */
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
