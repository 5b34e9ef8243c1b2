import { LRUCache } from 'lru-cache'
import type { ContentModel } from '#server/content/model.ts'
import type { Sources as KnownSources, Versions } from '#server/content/versions.ts'
import type { Answer } from './answers.ts'

/** What an answer depends on: more than it turns out to need does no harm. */
export interface Sources {
  models: Iterable<ContentModel>
  /** Does it show assets of its space? */
  assets: boolean
}

/** An answer that is to be made. */
export interface Recipe {
  sources(): Sources
  /** undefined: there is nothing to answer. */
  make(): Promise<Answer | undefined>
}

/**
 * Answers that were asked for before, for as long as they are what the database would answer. Every write moves the
 * version of its model on, in its own transaction, and every change of an asset that of its space's library; an answer is kept with the versions that were read before it was made,
 * and given again only if they still hold after the request for it came. So a reader sees what was published before they
 * asked, whichever process it was published through, and no notice needs to arrive for it.
 */
export interface AnswerCache {
  /** `key` tells requests for this model apart; `prepare` reads the request, and throws what is wrong with it. */
  answer(model: ContentModel, key: string, prepare: () => Recipe): Promise<Answer | undefined>
}

interface Entry {
  /** The registry's own object: a model that changed, or one beside it, is another one. */
  model: ContentModel
  known: KnownSources
  versions: string
  answer: Answer
}

const maximumBytes = 32 * 1024 * 1024
const maximumEntryBytes = 1024 * 1024
const longestKey = 2000
/** What is answered from here is not noted by what learns from queries: every ten minutes it is made anew. */
const lifetime = 600_000

export function createAnswerCache({ ofSources }: Versions): AnswerCache {
  const entries = new LRUCache<string, Entry>({
    maxSize: maximumBytes,
    maxEntrySize: maximumEntryBytes,
    sizeCalculation: ({ answer }, key) => answer.body.length + 2 * key.length + 500,
    ttl: lifetime,
  })
  /** What was asked for once: only what comes again is kept. */
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
