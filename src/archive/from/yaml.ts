import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml'

/** Keys of one mapping. */
const mostKeys = 1_000
/** Nodes of one text: a snapshot of a large schema has some ten thousand. */
const mostNodes = 500_000
/** Aliases of one text: the library looks through the text for each. */
const mostAliases = 100
const deepest = 100

/** The text is no YAML, or none that we read. `why`: `yaml`, or the bound that it exceeds. */
export class InvalidYaml extends Error {
  override readonly name = 'InvalidYaml'
  readonly why: 'yaml' | 'bytes' | 'keys' | 'nodes' | 'aliases' | 'depth'
  constructor(why: InvalidYaml['why'], options?: ErrorOptions) {
    super(why, options)
    this.why = why
  }
}

/**
 * Reads YAML. Days and times stay as they are written; an alias may be used, and not to blow up. Throws InvalidYaml, also for a key
 * that comes twice: the library compares each key with all others to find one, which takes minutes for 60,000.
 */
export function readYaml(text: string): unknown {
  try {
    // Each alias has its sign, which may be in a text or a comment, too.
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
