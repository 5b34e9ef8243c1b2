import type { Database } from '#server/db/connection.ts'
import { batching } from '#server/lib/batching.ts'

/**
 * Versions of the cached data of a space, by part: read access (tokens), apps with their models, assets as
 * delivered, and the media library as shown in responses. Triggers change a version together with any row that it
 * depends on (migration 0089).
 */
export interface SpaceVersions {
  tokens: string
  models: string
  files: string
  library: string
}

/** The data that a response depends on besides its request: models, and the media library of a space. */
export interface Sources {
  models: readonly number[]
  library: number | null
}

/**
 * Current versions, read from the database. Data cached under the same version equals what would be read now, whichever
 * process changed it and whether or not its notice arrived.
 */
export interface Versions {
  /** undefined: the space does not exist. */
  ofSpace(spaceId: number): Promise<SpaceVersions | undefined>
  /** The combined versions of all sources; missing ones count too. */
  ofSources(sources: Sources): Promise<string>
}

interface Wanted {
  models: readonly number[]
  space: number | null
}

interface Row extends SpaceVersions {
  kind: 'space' | 'model'
  id: number
}
type Found = Record<Row['kind'], Map<number, Row>>

// A model has one version, which uses the `tokens` column of a space's row.
const ofSpaces = `SELECT 'space' AS kind, s.space_id AS id, s.tokens, s.models, s.files, s.library FROM space_delivery s
  WHERE s.space_id = ANY($1::int[])`
const ofBoth = `${ofSpaces}
  UNION ALL SELECT 'model', s.model_id, s.version::text, '', '', '' FROM model_stat s WHERE s.model_id = ANY($2::int[])`

/** Concurrent calls share one statement. */
export function createVersions({ deliveryPool }: Pick<Database, 'deliveryPool'>): Versions {
  type OfSpace = ReturnType<Versions['ofSpace']>
  /** Promises for spaces that the next statement reads anyway. */
  let asked = new Map<number, OfSpace>()

  const ask = batching(async (wanted: Wanted[]) => {
    asked = new Map()
    const spaces = [...new Set(wanted.flatMap(({ space }) => space ?? []))]
    const models = [...new Set(wanted.flatMap((one) => one.models))]
    const { rows } = await deliveryPool.query<Row>(
      models.length === 0
        ? { name: 'versions of spaces', text: ofSpaces, values: [spaces] }
        : { name: 'versions', text: ofBoth, values: [spaces, models] },
    )
    const found: Found = { space: new Map(), model: new Map() }
    for (const row of rows) found[row.kind].set(row.id, row)
    return found
  }, 1)

  return {
    ofSpace(space) {
      const found = asked.get(space) ?? ask({ models: [], space }).then((all) => all.space.get(space))
      asked.set(space, found)
      return found
    },
    async ofSources({ models, library }) {
      const all = await ask({ models, space: library })
      const versions = models.map((id) => all.model.get(id)?.tokens)
      if (library !== null) versions.push(all.space.get(library)?.library)
      return versions.join()
    },
  }
}
