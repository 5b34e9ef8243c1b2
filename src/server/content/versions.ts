import type { Database } from '#server/db/connection.ts'
import { batching } from '#server/lib/batching.ts'

/**
 * Versions of the cached data of a space, by part. The parts are read access (tokens), apps with their models, assets
 * as the delivery API serves them, and the media library as responses show it. Triggers change a version together with
 * any row that it depends on (migration 0089).
 */
export interface SpaceVersions {
  tokens: string
  models: string
  files: string
  library: string
}

/** The data that a response depends on in addition to its request: models, and the media library of a space. */
export interface Sources {
  models: readonly number[]
  library: number | null
}

/**
 * Reads current versions from the database. Data cached under a current version equals the data in the database, even
 * if no notice of a change arrived.
 */
export interface Versions {
  /** Returns the versions of a space; undefined if it does not exist. */
  ofSpace(spaceId: number): Promise<SpaceVersions | undefined>
  /** Returns the combined versions of all sources. A source that does not exist has an empty version. */
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

// A model has only one version, which `ofBoth` returns in the column `tokens`.
const ofSpaces = `SELECT 'space' AS kind, s.space_id AS id, s.tokens, s.models, s.files, s.library FROM space_delivery s
  WHERE s.space_id = ANY($1::int[])`
const ofBoth = `${ofSpaces}
  UNION ALL SELECT 'model', s.model_id, s.version::text, '', '', '' FROM model_stat s WHERE s.model_id = ANY($2::int[])`

/** Creates the reader of versions. Concurrent calls share one statement. */
export function createVersions({ deliveryPool }: Pick<Database, 'deliveryPool'>): Versions {
  type OfSpace = ReturnType<Versions['ofSpace']>
  /** Pending results by space: the next statement reads these spaces anyway. */
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
