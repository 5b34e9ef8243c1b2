import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml'

const mostKeys = 1_000
/** Maximum number of nodes. The snapshot of a large schema has some ten thousand nodes. */
const mostNodes = 500_000
/** Maximum number of aliases. The library searches the document for each alias. */
const mostAliases = 100
const deepest = 100

/** The YAML or TOML is invalid or exceeds a limit. `why`: the format, or the name of the limit. */
export class InvalidYaml extends Error {
  override readonly name = 'InvalidYaml'
  readonly why: 'yaml' | 'toml' | 'bytes' | 'keys' | 'nodes' | 'aliases' | 'depth'
  constructor(why: InvalidYaml['why'], options?: ErrorOptions) {
    super(why, options)
    this.why = why
  }
}

/**
 * Parses YAML. Dates and times remain strings, and the number of aliases is limited. Throws `InvalidYaml`, also for
 * duplicate keys. These are checked here, because the library compares all pairs of keys, which takes minutes for
 * 60,000.
 */
export function readYaml(text: string): unknown {
  try {
    // A cheap upper bound before parsing: each alias contains a `*`, which texts and comments may also contain.
    if (text.split(/(?:^|[\s[{,:-])\*/, 10 * mostAliases).length >= 10 * mostAliases)
      throw new InvalidYaml('aliases')
    const document = parseDocument(text, {
      schema: 'core',
      merge: false,
      uniqueKeys: false,
      logLevel: 'error',
    })
    const [error] = document.errors
    if (error) throw error
    checkNodes(document.contents)
    return document.toJS({ maxAliasCount: mostAliases })
  } catch (error) {
    throw error instanceof InvalidYaml ? error : new InvalidYaml('yaml', { cause: error })
  }
}

function checkNodes(root: Node | null): void {
  const open: { node: unknown; depth: number }[] = [{ node: root, depth: 0 }]
  let nodes = 0
  let aliases = 0
  for (let at = open.pop(); at; at = open.pop()) {
    const { node, depth } = at
    if (++nodes > mostNodes) throw new InvalidYaml('nodes')
    if (depth > deepest) throw new InvalidYaml('depth')
    if (isAlias(node) && ++aliases > mostAliases) throw new InvalidYaml('aliases')
    if (isSeq(node)) for (const item of node.items) open.push({ node: item, depth: depth + 1 })
    if (!isMap(node)) continue
    if (node.items.length > mostKeys) throw new InvalidYaml('keys')
    const keys = new Set<unknown>()
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : key
      if (keys.has(name)) throw new InvalidYaml('yaml')
      keys.add(name)
      open.push({ node: key, depth: depth + 1 }, { node: value, depth: depth + 1 })
    }
  }
}
