import type { WebhookEvent } from '#shared/contract/webhooks.ts'
import type { Language } from '#shared/languages.ts'

/** The values of a summary. `title`: the title of the document, or the file name of the asset. */
interface Facts {
  title: string
  /** Name of the app. Empty for media. */
  app: string
}

type Sentences = Record<WebhookEvent, (facts: Facts) => string>

const ja: Sentences = {
  'document.saved': ({ title, app }) => `「${title}」の下書きが保存されました（${app}）`,
  'document.published': ({ title, app }) => `「${title}」が公開されました（${app}）`,
  'document.unpublished': ({ title, app }) => `「${title}」が下書きに切り替えられました（${app}）`,
  'document.deletedDraft': ({ title, app }) => `下書きの「${title}」が削除されました（${app}）`,
  'document.deletedPublished': ({ title, app }) => `公開中の「${title}」が削除されました（${app}）`,
  'document.orderChanged': ({ app }) => `コンテンツの並び順が変わりました（${app}）`,
  'asset.created': ({ title }) => `メディア「${title}」が追加されました`,
  'asset.updated': ({ title }) => `メディア「${title}」の情報が変わりました`,
  'asset.replaced': ({ title }) => `メディア「${title}」のファイルが差し替えられました`,
  'asset.deleted': ({ title }) => `メディア「${title}」が削除されました`,
  'import.finished': ({ app }) => `「${app}」へのインポートが終わりました`,
}

const en: Sentences = {
  'document.saved': ({ title, app }) => `A draft of “${title}” was saved (${app})`,
  'document.published': ({ title, app }) => `“${title}” was published (${app})`,
  'document.unpublished': ({ title, app }) => `“${title}” was unpublished (${app})`,
  'document.deletedDraft': ({ title, app }) => `The draft “${title}” was deleted (${app})`,
  'document.deletedPublished': ({ title, app }) => `The published content “${title}” was deleted (${app})`,
  'document.orderChanged': ({ app }) => `The order of content changed (${app})`,
  'asset.created': ({ title }) => `The file “${title}” was added`,
  'asset.updated': ({ title }) => `The details of the file “${title}” changed`,
  'asset.replaced': ({ title }) => `The file “${title}” was replaced`,
  'asset.deleted': ({ title }) => `The file “${title}” was deleted`,
  'import.finished': ({ app }) => `An import to “${app}” has finished`,
}

interface Texts {
  sentences: Sentences
  test: string
  untitled: string
  more: (count: number) => string
}

const texts: Record<Language, Texts> = {
  ja: {
    sentences: ja,
    test: 'Imoriからのテストです',
    untitled: '無題',
    more: (count) => `（ほか${count}件）`,
  },
  en: {
    sentences: en,
    test: 'This is a test from Imori',
    untitled: 'untitled',
    more: (count) => ` (and ${count} more)`,
  },
}

/** Returns what happened in one sentence without a full stop. `count`: number of events in the request. */
export function summaryOf(
  language: Language,
  event: string,
  { title, app, count }: { title: string | null; app: string | null; count: number },
): string {
  const { sentences, test, untitled, more } = texts[language]
  const sentence = Object.hasOwn(sentences, event) ? sentences[event as WebhookEvent] : undefined
  if (!sentence) return test
  const text = sentence({ title: title || untitled, app: app ?? '' })
  return count > 1 ? text + more(count - 1) : text
}
