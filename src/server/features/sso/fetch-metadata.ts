import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Services } from '#server/services.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { isAllowedUrl, readUrl } from './addresses.ts'

const most = { bytes: 300_000, redirects: 3, urlLength: 2000 }
/** Time limit for each URL in ms. Four URLs (three redirects) stay below the endpoint's time limit of 30 seconds. */
const timeoutMs = 7_000

/**
 * Fetches the metadata of an identity provider. Follows up to three redirects, and checks each URL like the first one.
 * Throws `ValidationFailed` at `url` for a missing or forbidden URL. Throws `SsoUnavailable` if a request fails or gets
 * neither 200 nor a redirect to a valid URL. Throws `SsoMetadataIsElsewhere`, with `location` (without query), for a
 * redirect to a forbidden or too long URL and for more than three redirects.
 */
export async function fetchMetadata(text: string, services: Services): Promise<string> {
  if (text === '') throw invalid('url', 'Required')
  let url = readUrl(text, 'url', services.config)
  // Chosen by the first URL, so that a public host cannot redirect to a private origin.
  const http = services.outgoing.clientFor('sso', url)
  for (let hop = 0; hop <= most.redirects; hop++) {
    const answer = await ask(url, http)
    if ('text' in answer) return answer.text
    url = answer.location
    if (url.length > most.urlLength || !isAllowedUrl(url, services.config)) break
  }
  throw new AppError('SsoMetadataIsElsewhere', {
    issues: [{ path: 'url', code: 'InvalidValue' }],
    details: { location: withoutSecrets(url) },
  })
}

/** Returns up to 300 characters of a URL without credentials, query and fragment, so that it can be shown. */
function withoutSecrets(text: string): string {
  const url = new URL(text)
  for (const part of ['username', 'password', 'search', 'hash'] as const) url[part] = ''
  return url.href.slice(0, 300)
}

async function ask(url: string, http: OutgoingHttp): Promise<{ text: string } | { location: string }> {
  try {
    const answer = await http.request(url, { method: 'GET', maxBytes: most.bytes, timeoutMs })
    if (answer.status === 200) return { text: await answer.text() }
    answer.discard()
    const { location } = answer.headers
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status)
    if (!isRedirect || typeof location !== 'string' || !URL.canParse(location, url))
      throw new AppError('SsoUnavailable')
    return { location: new URL(location, url).href }
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('SsoUnavailable', { cause: error })
  }
}
