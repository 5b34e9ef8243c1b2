import { z } from 'zod'
import type { Language } from '#shared/languages.ts'

/** The content of a mail in one language, without HTML. {@link renderMail} creates both forms. */
export interface MailText {
  subject: string
  paragraphs: string[]
  /** The button of the mail. Its URL is also shown as text. */
  link?: { label: string; url: string }
  after?: string[]
  /** Whether the recipient is a visitor of a site, who does not know the installation. It is then not named. */
  isForVisitor?: boolean
}

export interface MailTemplate<Values extends z.ZodType = z.ZodType> {
  values: Values
  texts: Record<Language, (values: z.output<Values>) => MailText>
}

export const defineMail = <Values extends z.ZodType>(
  values: Values,
  texts: MailTemplate<Values>['texts'],
): MailTemplate<Values> => ({ values, texts })

export const linkValue = z.url({ protocol: /^https?$/ })

export interface RenderedMail {
  subject: string
  text: string
  html: string
}

const footer = {
  ja: (url: string) => `このメールは、${url} のImoriからお送りしています。`,
  en: (url: string) => `This mail was sent by Imori at ${url}.`,
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

/** Renders a mail as plain text and as HTML. `installation` is the URL shown in the footer. */
export function renderMail(
  language: Language,
  { subject, paragraphs, link, after = [], isForVisitor = false }: MailText,
  installation: string,
): RenderedMail {
  const last = isForVisitor ? null : footer[language](installation)
  const text = [
    ...paragraphs,
    ...(link ? [`${link.label}\n${link.url}`] : []),
    ...after,
    ...(last === null ? [] : [`-- \n${last}`]),
  ]
  const p = (paragraph: string, style = 'margin:0 0 16px') =>
    `<p style="${style}">${escaped(paragraph).replaceAll('\n', '<br>')}</p>`
  const button = ({ label, url }: { label: string; url: string }) =>
    `<p style="margin:24px 0"><a href="${escaped(url)}" style="display:inline-block;padding:12px 20px;` +
    `border-radius:6px;background:#0b6b5f;color:#fff;text-decoration:none;font-weight:600">${escaped(label)}</a></p>` +
    p(url, 'margin:0 0 16px;font-size:13px;color:#5b6663;word-break:break-all')
  const end =
    last === null
      ? ''
      : `<hr style="border:0;border-top:1px solid #dfe7e4;margin:24px 0">${p(last, 'margin:0;font-size:13px;color:#5b6663')}`
  const html =
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width"><title>${escaped(subject)}</title></head>` +
    '<body style="margin:0;padding:24px;background:#fff;color:#17201e;font:16px/1.7 sans-serif">' +
    `<div style="max-width:560px;margin:0 auto">${paragraphs.map((paragraph) => p(paragraph)).join('')}` +
    `${link ? button(link) : ''}${after.map((paragraph) => p(paragraph)).join('')}` +
    `${end}</div></body></html>`
  return { subject, text: `${text.join('\n\n')}\n`, html }
}
