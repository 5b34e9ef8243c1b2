import { LRUCache } from 'lru-cache'
import type { ContentModel } from '#server/content/model.ts'
import type { Sources as KnownSources, Versions } from '#server/content/versions.ts'
import type { Answer } from './answers.ts'

/** The data that a response depends on. Extra entries only cause extra cache misses. */
export interface Sources {
  models: Iterable<ContentModel>
  /** Whether the response may contain assets of the model's space. */
  assets: boolean
}

export interface Recipe {
  sources(): Sources
  /** undefined: there is nothing to return. */
  make(): Promise<Answer | undefined>
}

/**
 * A cache of responses. An entry is valid as long as the database would return the same data.
 *
 * A write increments the version of its model in the same transaction. A change of an asset increments the version of
 * the media library of its space. A response is stored with the versions read before it was produced. For each later
 * request the versions are read again, and the response is reused only if they are unchanged. Therefore readers see
 * everything published before their request, without depending on notices.
 */
export interface AnswerCache {
  /**
   * Returns a cached or new response; undefined if there is nothing to return. `key` distinguishes requests for this
   * model. `prepare` parses the request and throws if it is invalid.
   */
  answer(model: ContentModel, key: string, prepare: () => Recipe): Promise<Answer | undefined>
}

interface Entry {
  /**
   * The model object of the registry. A new object, which the registry creates after a change of any model of the
   * space, makes the entry invalid.
   */
  model: ContentModel
  known: KnownSources
  versions: string
  answer: Answer
}

const maximumBytes = 32 * 1024 * 1024
const maximumEntryBytes = 1024 * 1024
const longestKey = 2000
/**
 * Maximum age of an entry in ms. A cached response records no uses of indexes, so it is produced again after ten
 * minutes.
 */
const lifetime = 600_000

export function createAnswerCache({ ofSources }: Versions): AnswerCache {
  const entries = new LRUCache<string, Entry>({
    maxSize: maximumBytes,
    maxEntrySize: maximumEntryBytes,
    sizeCalculation: ({ answer }, key) => answer.body.length + 2 * key.length + 500,
    ttl: lifetime,
  })
  /** Keys that were requested once. Only repeated requests are cached. */
  const seen = new LRUCache<string, true>({ max: 10_000 })

  return {
    async answer(model, path, prepare) {
      const key = `${model.id} ${path}`
      let entry = entries.get(key)
      if (entry?.model !== model) entry = undefined
      if (!entry && (key.length > longestKey || !seen.has(key))) {
        if (key.length <= longestKey) seen.set(key, true)
        return prepare().make()
      }
      const recipe = entry ? undefined : prepare()
      const known = entry?.known ?? knownOf(model, recipe?.sources())
      const versions = await ofSources(known)
      if (entry?.versions === versions) return entry.answer
      const answer = await (recipe ?? prepare()).make()
      if (answer) entries.set(key, { model, known, versions, answer })
      else entries.delete(key)
      return answer
    },
  }
}

function knownOf(model: ContentModel, sources: Sources | undefined): KnownSources {
  const models = [...new Set([...(sources?.models ?? [])].map(({ id }) => id))]
  return { models, library: sources?.assets ? model.app.space.id : null }
}
