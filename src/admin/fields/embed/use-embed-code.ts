import { useState } from 'react'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'

/** An embed code, and the address that it was made from: `''` for one that was pasted. */
export interface FoundCode {
  code: string
  url: string
}

/** The code of an address, asked of its service. Throws ApiError; see {@link embedProblem}. */
export async function askForEmbedCode(url: string, signal?: AbortSignal): Promise<FoundCode> {
  const { embeddedCode } = await api('GET /api/embed:getEmbeddedCode', {
    query: { url, lazy: 'true' },
    ...(signal ? { signal } : {}),
  })
  return { code: embeddedCode, url }
}

/** Why there is no code: the address is what is wrong with it, where the answer says so. */
export function embedProblem(error: unknown): string {
  const [issue] = error instanceof ApiError ? error.issues : []
  return issue ? issueText(issue) : errorText(error)
}

/** Makes what somebody has typed an embed code: an address is asked for its own, code is taken as it is. */
export function useEmbedCode(onFound: (found: FoundCode) => void) {
  const [problem, setProblem] = useState<string | null>(null)
  const [asking, setAsking] = useState<AbortController | null>(null)

  /** Nothing typed is a code, too: that of nothing. */
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
