import { accountOf } from '#server/access/actor.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { createApp, listApps } from '#server/features/apps/apps.service.ts'
import { createDocument, updateDocument } from '#server/features/documents/documents.service.ts'
import { createModel, updateModelOrder } from '#server/features/models/models.service.ts'
import { newId } from '#server/lib/ids.ts'
import type { SampleArticle } from './blog-articles.ts'
import { blog } from './blog-content.ts'

const day = 86_400_000

/**
 * Fills a new app of the space with the sample blog, through the same services a person's clicks go through, as a job
 * that the caller asked for, in the caller's transaction: whole or not at all. Its uid is `blog`, or `blog-2` and so on where that is taken.
 */
export async function createSampleBlog(ctx: SpaceContext): Promise<AppContext> {
  const app = await createApp(ctx, { ...blog.app, uid: await freeUid(ctx) })
  const askedBy = accountOf(ctx.actor) ?? undefined
  const inside: AppContext = { ...app, actor: { kind: 'job', id: newId(), name: 'sample', askedBy } }
  for (const model of blog.models) await createModel(inside, model)
  // Made after what it refers to, shown before it.
  await updateModelOrder(inside, ['article', 'author', 'category'])
  const authors = await publishAll(inside, 'author', blog.authors)
  const categories = await publishAll(inside, 'category', blog.categories)
  const now = Date.now()
  for (const article of blog.articles) await writeArticle(inside, article, { authors, categories, now })
  return app
}

async function freeUid(ctx: SpaceContext): Promise<string> {
  const taken = new Set((await listApps(ctx)).map((app) => app.uid))
  for (let n = 1; ; n++) {
    const uid = n === 1 ? blog.app.uid : `${blog.app.uid}-${n}`
    if (!taken.has(uid)) return uid
  }
}

/** Publishes documents that others refer to; answers their `_id`s by slug. */
async function publishAll(
  ctx: AppContext,
  model: string,
  documents: { slug: string }[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const document of documents) {
    const { _id } = await createDocument(ctx, model, { document: { ...document }, type: 'PUBLISH' })
    ids.set(document.slug, _id)
  }
  return ids
}

async function writeArticle(
  ctx: AppContext,
  article: SampleArticle,
  {
    authors,
    categories,
    now,
  }: { authors: Map<string, string>; categories: Map<string, string>; now: number },
): Promise<void> {
  const { daysAgo, state, edit, body, category, authors: by, ...values } = article
  const writtenAt = new Date(now - daysAgo * day)
  const document = {
    ...values,
    body: body.join(''),
    category: categories.get(category),
    authors: by.map((slug) => authors.get(slug)),
    publishedOn: state === 'draft' ? null : dayInJapan(writtenAt),
  }
  const { _id } = await createDocument(ctx, 'article', {
    document,
    type: state === 'draft' ? 'SAVE' : 'PUBLISH',
    createdAt: writtenAt,
  })
  if (edit) await updateDocument(ctx, 'article', _id, { doc: edit })
}

/** The date there, as `YYYY-MM-DD`. */
const dayInJapan = (time: Date) => new Date(time.getTime() + 9 * 3_600_000).toISOString().slice(0, 10)
