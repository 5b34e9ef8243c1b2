import { z } from 'zod'
import { toEmbedCode } from '#server/content/text-work.ts'
import type { OutgoingHttp, OutgoingResponse } from '#server/lib/outgoing-http.ts'
import { maximumEmbedCode } from '#shared/fields/embed.ts'
import { findProvider } from './providers.ts'

export interface Embeddable {
  /** HTML sanitised by shared/embed-policy.ts. */
  embeddedCode: string
  title: string
  provider: string
}

export interface AskOptions {
  maxWidth?: number | undefined
  maxHeight?: number | undefined
  signal: AbortSignal
  /** Whether the code can be created without the service. The timeout is then shorter. */
  isDispensable?: boolean
}

/** Number of bytes after which reading a page stops. The head of the page names the endpoint. */
const maximumHead = 512 * 1024
const common = { timeoutMs: 8_000, idleMs: 5_000, maxRedirects: 3 }

/** Invalid values of a property become null, because services fill unused properties with arbitrary values. */
const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null)
const answerSchema = z.object({
  type: lenient(z.string()),
  html: lenient(z.string().max(4 * maximumEmbedCode)),
  url: lenient(z.string().max(4000)),
  title: lenient(z.string()),
  provider_name: lenient(z.string()),
})

/**
 * Requests the embed code from the oEmbed endpoint of the URL. The public list or the page names the endpoint. Returns
 * null if the URL cannot be embedded. Throws OutgoingHttpError, and WorkTooLarge.
 */
export async function askForCode(
  http: OutgoingHttp,
  url: URL,
  { maxWidth, maxHeight, signal, isDispensable = false }: AskOptions,
): Promise<Embeddable | null> {
  const known = findProvider(url)
  const endpoint = known ? new URL(known.endpoint) : await discover(http, url, signal)
  if (!endpoint) return null
  if (known) endpoint.searchParams.set('url', url.href)
  endpoint.searchParams.set('format', 'json')
  if (maxWidth) endpoint.searchParams.set('maxwidth', String(maxWidth))
  if (maxHeight) endpoint.searchParams.set('maxheight', String(maxHeight))
  const response = await http.request(endpoint, {
    ...common,
    ...(isDispensable ? { timeoutMs: 3_000 } : {}),
    headers: { accept: 'application/json', 'user-agent': userAgent },
    maxBytes: 256 * 1024,
    signal,
  })
  if (response.status !== 200) {
    response.discard()
    return null
  }
  const answer = answerSchema.safeParse(readJson(await response.text()))
  if (!answer.success) return null
  const { type, html, url: picture, title, provider_name } = answer.data
  const code = type === 'photo' ? pictureCode(picture ?? '', title ?? '') : (html ?? '')
  const embeddedCode = code === '' ? null : await toEmbedCode(code)
  if (embeddedCode === null || embeddedCode.length > maximumEmbedCode) return null
  return {
    embeddedCode,
    title: (title ?? '').slice(0, 500).toWellFormed(),
    provider: (known?.provider ?? provider_name ?? url.hostname).slice(0, 100).toWellFormed(),
  }
}

const userAgent = 'Imori (oEmbed)'

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Escapes a text for a quoted attribute. */
export const inAttribute = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
const pictureCode = (src: string, title: string) =>
  `<img src="${inAttribute(src)}" alt="${inAttribute(title)}">`

/** Returns the endpoint named in the page's headers or head, or null. */
async function discover(http: OutgoingHttp, url: URL, signal: AbortSignal): Promise<URL | null> {
  const response = await http.request(url, {
    ...common,
    headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.1', 'user-agent': userAgent },
    maxBytes: 64 * 1024 * 1024,
    signal,
  })
  const named = response.status === 200 ? (namedInHeaders(response) ?? (await namedInHead(response))) : null
  response.discard()
  return named !== null && URL.canParse(named, response.url) ? new URL(named, response.url) : null
}

const oEmbedType = 'application/json+oembed'

function namedInHeaders({ headers }: OutgoingResponse): string | null {
  for (const link of [headers.link ?? []].flat().flatMap((line) => line.split(/,\s*(?=<)/)))
    if (link.includes(oEmbedType)) return /^\s*<([^<>]*)>/.exec(link)?.[1] ?? null
  return null
}

async function namedInHead({ body }: OutgoingResponse): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= maximumHead) break
  }
  const html = Buffer.concat(chunks).toString('utf8')
  for (const [tag] of html.matchAll(/<link\s[^<>]*>/gi)) {
    if (!tag.includes(oEmbedType)) continue
    const href = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag)
    if (href) return (href[1] ?? href[2] ?? '').replace(/&amp;|&#0?38;|&#x26;/gi, '&')
  }
  return null
}
