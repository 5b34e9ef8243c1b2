import { hash } from 'node:crypto'
import { createTranslator } from 'use-intl/core'
import { type AppError, type Issue, issueArguments } from '#shared/errors.ts'
import { type FormField, formLimits, type LocalizedText } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import englishPage from '#shared/i18n/en/form-page.json'
import englishIssue from '#shared/i18n/en/issue.json'
import japanesePage from '#shared/i18n/ja/form-page.json'
import japaneseIssue from '#shared/i18n/ja/issue.json'
import type { Language } from '#shared/languages.ts'

/* Imori's own pages for visitors who send a form: without scripts, in the language of the visitor. */

const translators = {
  ja: createTranslator({ locale: 'ja', messages: { page: japanesePage, issue: japaneseIssue } }),
  en: createTranslator({ locale: 'en', messages: { page: englishPage, issue: englishIssue } }),
}

const style = `:root{color-scheme:light dark}
body{margin:0;font:1rem/1.7 system-ui,sans-serif;background:#f6f7f9;color:#1f2328}
main{max-width:36rem;margin:12vh auto;padding:2rem;background:#fff;border-radius:.75rem}
h1{margin:0 0 1rem;font-size:1.4rem}
p{margin:.75rem 0 0;white-space:pre-line;overflow-wrap:anywhere}
ul{margin:.75rem 0 0;padding-left:1.25rem;overflow-wrap:anywhere}
a{color:#0b5cad}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e6e6e6}main{background:#23262b}a{color:#7ab8ff}}
@media(max-width:40rem){main{margin:0;border-radius:0;min-height:100vh;box-sizing:border-box}}`

/**
 * Headers of the pages. Only their own style applies, and sites may show them in frames, because they do nothing.
 */
export const pageHeaders = {
  'content-security-policy': `default-src 'none';style-src 'sha256-${hash('sha256', style, 'base64')}';base-uri 'none';form-action 'none';frame-ancestors *`,
  'x-robots-tag': 'noindex',
  vary: 'Accept, Accept-Language, Origin',
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

const page = (language: Language, title: string, body: string) =>
  `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`

/** Returns a link to the page that sent the form, or only to its site, if the browser did not report the page. */
function backLink(from: string | null, language: Language): string[] {
  if (from === null) return []
  const text = translators[language](new URL(from).pathname === '/' ? 'page.backToSite' : 'page.back')
  return [`<p><a href="${escapeHtml(from)}">${escapeHtml(text)}</a></p>`]
}

/** Returns the page after a form was sent. `from`: address of the page that sent the form; null: unknown. */
export function thanksPage(message: LocalizedText, language: Language, from: string | null): string {
  const text = translators[language]
  const thanks = `<p>${escapeHtml(textIn(message, language) || text('page.thanks'))}</p>`
  return page(language, text('page.thanksTitle'), [thanks, ...backLink(from, language)].join('\n'))
}

/** Returns the sentence for an error. */
export const errorSentence = (code: string, language: Language): string =>
  translators[language]('page.errorCode', { code })

const megabytes = (bytes: number) => Math.floor(bytes / 1024 / 1024)

const fieldOf = ({ path }: Issue, fields: FormField[]) => fields.find(({ name }) => name === path)

/** Returns the label of the field of an issue, or its name if the form does not define it. */
export function labelOf(issue: Issue, fields: FormField[], language: Language): string {
  const field = fieldOf(issue, fields)
  return (field && textIn(field.label, language)) || issue.path
}

/** Returns the sentence for a broken rule: the form's own message, or the standard one. */
export function sentenceOf(issue: Issue, fields: FormField[], language: Language): string {
  const field = fieldOf(issue, fields)
  const own = field ? textIn(field.message, language) : ''
  if (own) return own
  const text = translators[language]
  if (issue.path === '' && issue.code === 'Required') return text('page.nothing')
  // A visitor needs another sentence than an editor for some types.
  const reason = `${field?.type ?? 'file'} ${issue.code}`
  switch (reason) {
    case 'consent Required':
      return text('page.consent')
    case 'file Required':
      return text('page.chooseFile')
    case 'file InvalidType':
      return text('page.fileType', { accept: field?.type === 'file' ? field.accept : '' })
    case 'file TooLargeValue':
      return text('page.fileSize', {
        each: megabytes(formLimits.fileBytes),
        all: megabytes(formLimits.allFileBytes),
      })
    case 'checkboxes TooManyItems':
      return text('page.choices', { maximum: Number(issue.params?.maximum ?? 0) })
    case 'date InvalidValue':
    case 'date InvalidFormat':
      return text('page.date')
    case 'number InvalidValue':
    case 'number InvalidFormat':
      return text('page.number', { integer: String(field?.type === 'number' && field.integer) })
    default:
      return text(`issue.${issue.code}`, issueArguments(issue))
  }
}

/** Maximum number of issues on a page. */
const shownIssues = 100

/**
 * Returns the page for a refused form. It names the fields by their labels. `from`: address of the page that sent the
 * form; null: unknown.
 */
export function errorPage(
  { code, issues = [] }: Pick<AppError, 'code' | 'issues'>,
  fields: FormField[],
  language: Language,
  from: string | null,
): string {
  const text = translators[language]
  const items = issues.slice(0, shownIssues).map((issue) => {
    const label = labelOf(issue, fields, language)
    const sentence = escapeHtml(sentenceOf(issue, fields, language))
    return `<li>${label ? `<strong>${escapeHtml(label)}</strong>: ` : ''}${sentence}</li>`
  })
  const body = [
    `<p>${escapeHtml(errorSentence(code, language))}</p>`,
    ...(items.length > 0 ? [`<ul>\n${items.join('\n')}\n</ul>`] : []),
    `<p>${escapeHtml(text('page.backHint'))}</p>`,
    ...backLink(from, language),
  ]
  return page(language, text('page.errorTitle'), body.join('\n'))
}

/** Returns whether an `Accept` header prefers HTML, as the one of a browser that sends a form does. */
export function prefersHtml(accept: string | undefined): boolean {
  const [html, json] = ['text/html', 'application/json'].map((wanted) => {
    let at = 0
    for (const part of (accept ?? '').slice(0, 1_000).toLowerCase().split(',')) {
      const [type = '', ...parameters] = part.split(';').map((text) => text.trim())
      const quality = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1)
      if (type === wanted) return { quality, at }
      at++
    }
    return { quality: 0, at }
  })
  if (!html || !json || !(html.quality > 0)) return false
  return html.quality > json.quality || (html.quality === json.quality && html.at < json.at)
}

/** Returns an http(s) address for a link. null: another address, or none. */
export const linkTo = (referer: string | undefined): string | null =>
  referer !== undefined && referer.length <= 2_000 && /^https?:\/\//i.test(referer) && URL.canParse(referer)
    ? referer
    : null
