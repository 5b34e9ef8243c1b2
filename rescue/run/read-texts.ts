import { readContent, type View } from '#archive/content.ts'
import { readLines } from '#archive/files.ts'
import { InvalidJson } from '#archive/json.ts'
import { readAnsweredContent } from '#rescue/newt/answers.ts'
import { withoutLineBreaks } from '#rescue/newt/json-slices.ts'
import { ApiRefusal, type NewtApi, quickRetries } from '#rescue/newt/newt-api.ts'
import { readPages } from '#rescue/newt/pages.ts'
import type { Query } from '#rescue/newt/query.ts'
import { orRefused } from '#rescue/newt/refusals.ts'
import type { ReadingContext } from './read-contents.ts'
import type { TextState } from './run-state.ts'

/** If there are more changed contents than this, all are read again. */
const mostByThemselves = 200

/**
 * Reads the sources of Markdown and the plain text of rich text with `field[fmt]=text` in a second pass, because lists
 * only return HTML. Reads all HTML fields for which the server allows this query. Resumes an earlier run, and rereads
 * contents that were saved in the meantime. Throws the errors of the list requests.
 */
export async function readTexts(context: ReadingContext, view: View, model: string): Promise<void> {
  const { api, workspace, inventory } = context
  const state = workspace.text(view, model)
  const candidates = [...inventory.htmlFieldsOf(model)].sort()
  if (candidates.some((field) => !state.asked.includes(field))) await begin(context, state, candidates)
  if (state.fields.length === 0) return
  const known = await readVersions(context, state)
  await readAll(context, state, known)
  const outdated = [...inventory.versions(view, model)].filter(([id, at]) => known.get(id) !== at)
  if (outdated.length > mostByThemselves) {
    await begin(context, state, candidates)
    await readAll(context, state, new Map())
    return
  }
  for (const [id] of outdated) {
    const body = await orRefused(api.one(view, model, id, textQuery(state)))
    const content = body && readAnsweredContent(withoutLineBreaks(body))
    if (content) await workspace.storeTexts(state, undefined, [content])
  }
}

async function begin(
  { api, workspace }: ReadingContext,
  { view, model }: TextState,
  asked: string[],
): Promise<void> {
  const fields: string[] = []
  let select = true
  for (const field of asked) {
    if (select && (await isAllowed(api, view, model, textQuery({ fields: [field], select }))))
      fields.push(field)
    else if (await isAllowed(api, view, model, textQuery({ fields: [field], select: false }))) {
      fields.push(field)
      select = false
    }
  }
  await workspace.record({ t: 'texts', view, model, asked, fields, select })
}

/** Returns false if the server refuses the query. Throws if the result is inconclusive. */
async function isAllowed(api: NewtApi, view: View, model: string, query: Query): Promise<boolean> {
  const ask = async (skip: Query) => {
    try {
      await api.list(view, model, { ...query, ...skip, limit: 1 }, quickRetries)
      return true
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error
      return error.code === 'ResponseSizeTooLarge'
    }
  }
  // The first content may make the server fail, so the second one is tried too.
  return (await orRefused(ask({}))) ?? ask({ skip: 1 })
}

function textQuery({ fields, select }: Pick<TextState, 'fields' | 'select'>): Query {
  const tops = [...new Set(fields.map((field) => field.split('.')[0] ?? field))]
  return {
    depth: 0,
    ...(select ? { select: ['_id', '_sys', ...tops].join() } : {}),
    ...Object.fromEntries(fields.map((field) => [`${field}[fmt]`, 'text'])),
  }
}

async function readAll(
  { api, workspace }: ReadingContext,
  state: TextState,
  known: Map<string, string>,
): Promise<void> {
  const { view, model } = state
  for await (const page of state.next ? readPages(api, view, model, state.next, textQuery(state)) : []) {
    const fresh = page.contents.filter(({ id, updatedAt }) => known.get(id) !== updatedAt)
    await workspace.storeTexts(state, page, fresh)
    for (const { id, updatedAt } of fresh) known.set(id, updatedAt)
  }
}

/** Returns the versions of the texts read earlier, by id. A damaged file is discarded. */
async function readVersions({ workspace }: ReadingContext, state: TextState): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  try {
    for await (const { text } of readLines(workspace.textPath(state), 0, state.bytes)) {
      const content = readContent(text)
      if (content) known.set(content.id, content.updatedAt)
    }
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error
    const { view, model, asked, fields, select } = state
    await workspace.record({ t: 'texts', view, model, asked, fields, select })
    known.clear()
  }
  return known
}
