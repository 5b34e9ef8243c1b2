import type { WebhookDeliveryDetail } from '#shared/contract/webhooks.ts'

interface SentRequest {
  url: string
  method: string
  headers: WebhookDeliveryDetail['log'][number]['requestHeaders']
  body: string | null
}

/** Returns a text in single quotes, in which a shell interprets nothing. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Returns the command that sends a request again from a terminal. Values of secret headers are dots. */
export function toCurl({ url, method, headers, body }: SentRequest): string {
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null || method === 'GET' ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ')
}
