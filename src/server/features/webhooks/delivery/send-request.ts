import { OutgoingHttpError, type OutgoingHttpErrorCode } from '#server/lib/outgoing-http.ts'
import type { Services } from '#server/services.ts'
import type { AttemptReason } from '#shared/contract/webhooks.ts'
import { openSealed } from '../sealed.ts'
import { parseRetryAfter } from './delivery-rules.ts'
import type { Result } from './messages.repository.ts'
import type { ReadyWebhook } from './receivers.repository.ts'
import { signedHeaders } from './signature.ts'

/** Time limit in ms, from connecting to the last byte that is read. */
const usualTimeout = 10_000
/** Maximum time in ms for which the body of a response is read. */
const longestRead = 1_000
/** Number of response bytes that are kept in the log. */
const keptBytes = 4096

const hidden = '••••••'
/** Minimum length of a secret, or of its beginning at the end of a response, that is masked. */
const shortestMasked = 4

const reasons: Record<OutgoingHttpErrorCode, AttemptReason> = {
  bad_url: 'badUrl',
  blocked_address: 'blockedAddress',
  too_many_redirects: 'status',
  too_large: 'network',
  timeout: 'timeout',
  aborted: 'network',
  network: 'network',
}

interface Sending {
  id: string
  event: string
  body: string
  signal?: AbortSignal | undefined
  timeoutMs?: number
}

/**
 * Sends one request. Errors of the request are not thrown: the result contains them. A redirect is not followed and
 * counts as a failure.
 */
export async function sendRequest(
  { outgoing, secrets }: Pick<Services, 'outgoing' | 'secrets'>,
  webhook: Pick<ReadyWebhook, 'id' | 'url' | 'method' | 'headers' | 'sealed'>,
  { id, event, body, signal, timeoutMs = usualTimeout }: Sending,
): Promise<Result> {
  const at = new Date()
  const { keys, values } = openSealed(secrets, webhook)
  const hasBody = webhook.method !== 'GET'
  const own = new Map<string, string>([
    ...(hasBody ? [['content-type', 'application/json; charset=utf-8'] as const] : []),
    ['user-agent', 'Imori-Webhooks/1'],
    ['imori-event', event],
  ])
  const isSecret = new Set<string>()
  for (const { name, value } of webhook.headers) {
    own.set(name.toLowerCase(), value ?? values.get(name) ?? '')
    if (value === null) isSecret.add(name.toLowerCase())
  }
  const signed = signedHeaders(keys, { id: `msg_${id}`, at, body: hasBody ? body : '' })
  const sent = [...own, ...Object.entries(signed)]
  const headers = sent.map(([name, value]) => ({ name, value: isSecret.has(name) ? hidden : value }))
  const began = performance.now()
  let status: number | null = null
  let answer: string | null = null
  let retryAfter: number | null = null
  const result = (reason: AttemptReason | null, detail = ''): Result => ({
    at,
    took: Math.round(performance.now() - began),
    status,
    reason,
    detail,
    headers,
    answer,
    retryAfter,
  })
  try {
    const response = await outgoing.clientFor('webhooks', webhook.url).request(webhook.url, {
      method: webhook.method,
      headers: Object.fromEntries(sent),
      ...(hasBody ? { body } : {}),
      // Only the beginning of a response is read, regardless of its length.
      maxBytes: Number.POSITIVE_INFINITY,
      timeoutMs,
      idleMs: timeoutMs,
      ...(signal ? { signal } : {}),
    })
    status = response.status
    if (!isAccepted(status)) retryAfter = parseRetryAfter(response.headers['retry-after'], new Date())
    answer = await beginning(response.body, [...values.values()])
    response.discard()
    return result(isAccepted(status) ? null : 'status')
  } catch (error) {
    // Any other error comes from a header that the HTTP client refuses to send.
    if (!(error instanceof OutgoingHttpError)) return result('network', 'INVALID_REQUEST')
    status ??= error.status
    // A receiver that responded with 2xx has accepted the message, even if its response never ends or is unreadable.
    if (isAccepted(status)) return result(null)
    return status === null ? result(reasons[error.code], error.detail) : result('status')
  }
}

const isAccepted = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** Returns the forms in which a receiver may repeat a secret, longest first. */
function formsOf(secrets: readonly string[]): string[] {
  // A receiver may repeat a secret without its prefix, such as `Bearer`.
  const plain = secrets.flatMap((secret) => [
    secret,
    ...secret.split(/\s+/).filter((part) => part.length >= 8),
  ])
  const forms = plain.flatMap((secret) => {
    const json = JSON.stringify(secret).slice(1, -1)
    const html = secret
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
    return [
      ...[secret, json, json.replaceAll('/', '\\/'), html, html.replaceAll("'", '&#39;')],
      ...[html.replaceAll("'", '&#039;'), html.replaceAll('"', '&#34;')],
      ...[encodeURIComponent(secret), new URLSearchParams({ '': secret }).toString().slice(1)],
      Buffer.from(secret).toString('base64'),
    ]
  })
  return [...new Set(forms)]
    .filter(({ length }) => length >= shortestMasked)
    .sort((one, other) => other.length - one.length)
}

/**
 * Returns the beginning of a response as text. Masks secrets that the receiver repeats in it. Stops after one second,
 * and at an error, because the rest of the response has no effect.
 */
async function beginning(body: AsyncIterable<Buffer>, secrets: readonly string[]): Promise<string> {
  const forms = formsOf(secrets)
  // Enough bytes to recognise a secret that begins in the kept part.
  const wanted = keptBytes + Math.max(0, ...forms.map((form) => Buffer.byteLength(form)))
  const kept: Buffer[] = []
  let size = 0
  const chunks = body[Symbol.asyncIterator]()
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, longestRead, null)
  })
  try {
    while (size < wanted) {
      const next = await Promise.race([chunks.next(), end])
      if (next === null || next.done) break
      kept.push(next.value)
      size += next.value.length
    }
  } catch {
    // An interrupted response is shown as far as it was received.
  } finally {
    clearTimeout(timer)
    void Promise.resolve(chunks.return?.()).catch(() => {})
  }
  const bytes = Buffer.concat(kept).subarray(0, wanted)
  const text = bytes.toString('utf8')
  const shownEnd = bytes.subarray(0, keptBytes).toString('utf8').length
  let shown = ''
  for (let at = 0; at < shownEnd; ) {
    const rest = text.length - at
    // An interrupted response can end within a secret.
    const isCut =
      rest >= shortestMasked && forms.some((form) => form.length > rest && form.startsWith(text.slice(at)))
    const secret = isCut ? text.slice(at) : forms.find((one) => text.startsWith(one, at))
    shown += secret === undefined ? text[at] : hidden
    at += secret?.length ?? 1
  }
  return Buffer.from(shown).subarray(0, keptBytes).toString('utf8')
}
