import { useState } from 'react'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'

/** An embed code and the URL that it was requested for; `''` for pasted code. */
export interface FoundCode {
  code: string
  url: string
}

/** Fetches the embed code of a URL. Throws ApiError; see {@link embedProblem}. */
export async function askForEmbedCode(url: string, signal?: AbortSignal): Promise<FoundCode> {
  const { embeddedCode } = await api('GET /api/embed:getEmbeddedCode', {
    query: { url, lazy: 'true' },
    ...(signal ? { signal } : {}),
  })
  return { code: embeddedCode, url }
}

/** Returns the message of the error's first issue, or the general message of an error without issues. */
export function embedProblem(error: unknown): string {
  const [issue] = error instanceof ApiError ? error.issues : []
  return issue ? issueText(issue) : errorText(error)
}

/** Converts typed text to an embed code. The server returns the code of a URL; typed code is used unchanged. */
export function useEmbedCode(onFound: (found: FoundCode) => void) {
  const [problem, setProblem] = useState<string | null>(null)
  const [asking, setAsking] = useState<AbortController | null>(null)

  /** Passes the embed code of the text to `onFound`; empty code for an empty text. */
  async function ask(typed: string) {
    const text = typed.trim()
    asking?.abort()
    setProblem(null)
    if (text === '' || text.startsWith('<')) {
      setAsking(null)
      onFound({ code: text, url: '' })
      return
    }
    const controller = new AbortController()
    setAsking(controller)
    try {
      const found = await askForEmbedCode(text, controller.signal)
      if (!controller.signal.aborted) onFound(found)
    } catch (error) {
      if (!controller.signal.aborted) setProblem(embedProblem(error))
    } finally {
      if (!controller.signal.aborted) setAsking(null)
    }
  }

  return { ask, asking: asking !== null, problem, forget: () => setProblem(null) }
}
