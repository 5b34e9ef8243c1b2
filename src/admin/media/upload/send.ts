import { ApiError } from '#admin/lib/api.ts'

interface SendOptions {
  method: 'PUT' | 'POST'
  url: string
  body: Blob | FormData
  headers?: Record<string, string>
  onProgress?: (sent: number) => void
  signal?: AbortSignal
}

/**
 * Sends a body with progress events, which `fetch` does not support. Resolves to the JSON of the response, or to `{}`
 * without JSON.
 * @throws ApiError for an error response, and with status 0 if the connection was lost; `AbortError` if aborted
 */
export function send({ method, url, body, headers = {}, onProgress, signal }: SendOptions) {
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    const lost = () => reject(new ApiError(0, { code: 'NetworkError' }))
    request.open(method, url)
    request.setRequestHeader('accept', 'application/json')
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', (event) => onProgress?.(event.loaded))
    request.addEventListener('error', lost)
    request.addEventListener('timeout', lost)
    request.addEventListener('abort', () => reject(signal?.reason ?? new DOMException('', 'AbortError')))
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
    request.addEventListener('load', () => {
      const answer = parse(request.responseText)
      if (request.status >= 200 && request.status < 300) resolve(answer ?? {})
      else reject(new ApiError(request.status, answer ?? { code: codeOf(request.status) }))
    })
    if (signal?.aborted) reject(signal.reason)
    else {
      signal?.addEventListener('abort', abort)
      request.send(body)
    }
  })
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Returns the most likely error code of a response without Imori's JSON (from a proxy or a bucket). */
function codeOf(status: number): string {
  if (status === 413) return 'RequestFileTooLarge'
  return status >= 502 && status <= 504 ? 'ServiceUnavailable' : 'InternalServerError'
}
