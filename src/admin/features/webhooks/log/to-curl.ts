import type { WebhookDeliveryDetail } from '#shared/contract/webhooks.ts'

interface SentRequest {
  url: string
  method: string
  headers: WebhookDeliveryDetail['log'][number]['requestHeaders']
  body: string | null
}

/** A text in quotes of a shell, which reads nothing in it. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The command that sends a request once more from a terminal. Secret headers have dots for their values. */
export function toCurl({ url, method, headers, body }: SentRequest): string {
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null || method === 'GET' ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ')
}
