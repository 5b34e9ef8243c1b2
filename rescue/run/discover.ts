import type { View } from '#archive/content.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { ApiRefusal, type NewtApi } from '#rescue/newt/newt-api.ts'
import { isIsolated } from '#rescue/newt/refusals.ts'
import type { Inventory } from './inventory.ts'
import type { Workspace } from './workspace.ts'

const samples = 2
const mostCandidates = 12

/**
 * Guesses models, because the API cannot list them. For a reference to an unknown content, the model's uid is often the
 * field's uid or its plural. A guess only counts if the model returns that content. Returns the uids that were found.
 */
export async function discoverModels(
  api: NewtApi,
  workspace: Workspace,
  inventory: Inventory,
  known: ReadonlySet<string>,
): Promise<string[]> {
  const found: string[] = []
  for (const { model, field, ids } of inventory.unresolved()) {
    for (const candidate of candidateUids(field)) {
      if (known.has(candidate) || found.includes(candidate)) continue
      if (!(await holdsOne(api, workspace, candidate, ids.slice(0, samples)))) continue
      await workspace.record({ t: 'found', model: candidate, by: `${model}.${field}` })
      found.push(candidate)
      break
    }
  }
  return found
}

async function holdsOne(
  api: NewtApi,
  workspace: Workspace,
  model: string,
  ids: readonly string[],
): Promise<boolean> {
  for (const id of ids) {
    const key = `${model}/${id}`
    if (workspace.probed.has(key)) continue
    const found = await exists(api, 'api', model, id)
    if (found) return true
    // The result is inconclusive and not recorded, so the next run tries again.
    if (found === undefined) continue
    await workspace.record({ t: 'probe', key })
  }
  return false
}

async function exists(api: NewtApi, view: View, model: string, id: string): Promise<boolean | undefined> {
  try {
    return (await api.one(view, model, id, { depth: 0 })) !== undefined
  } catch (error) {
    if (error instanceof ApiRefusal) return error.code === 'ResponseSizeTooLarge'
    if (error instanceof RescueFailure && error.code === 'not_allowed') return false
    if (error instanceof RescueFailure && isIsolated(error)) return undefined
    throw error
  }
}

/**
 * Returns up to `mostCandidates` model uids that a field name suggests: `blocks.relatedArticles` → relatedArticles,
 * relatedArticle, related-articles, related_articles, …
 */
export function candidateUids(field: string): string[] {
  const uids: string[] = []
  for (const part of field.split('.').reverse()) {
    const words = part
      .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .split(/[-_]/)
      .filter(Boolean)
    const last = words.at(-1)
    const spellings = [part, words.join('-'), words.join('_'), words.join(''), ...(last ? [last] : [])]
    for (const spelling of spellings) uids.push(spelling, singular(spelling), plural(spelling))
  }
  return [...new Set(uids)].filter((uid) => /^[\w-]{1,64}$/.test(uid)).slice(0, mostCandidates)
}

function singular(word: string): string {
  if (/ies$/.test(word)) return word.replace(/ies$/, 'y')
  return /(?:ses|xes|ches|shes)$/.test(word) ? word.slice(0, -2) : word.replace(/s$/, '')
}

function plural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, 'ies')
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}
